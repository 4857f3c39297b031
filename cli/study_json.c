// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Studies as JSON: numbers in full, and as the tables print them.
#include "json_out.h"
#include "study_out.h"

static json_t *study_json_columns(const pawl_study_table *table)
{
    json_t *columns = json_array();
    for (int c = 0; c < table->column_count; ++c) {
        const pawl_study_column *column = &table->columns[c];
        json_array_append_new(
            columns,
            json_pack("{s:o, s:o, s:o}",                                               //
                      "name", json_out_text(column->name),                             //
                      "unit", json_out_text(column->unit != NULL ? column->unit : ""), //
                      "against",
                      column->against > 0
                          ? json_out_text(table->columns[column->against - 1].name) //
                          : json_null()));
    }
    return columns;
}

// Rows of values or, with `printed`, of the texts that the tables show.
static json_t *study_json_rows(const pawl_study_table *table, bool printed)
{
    json_t *rows = json_array();
    for (int r = 0; r < table->row_count; ++r) {
        json_t *row = json_array();
        for (int c = 0; c < table->column_count; ++c) {
            const pawl_study_cell *cell =
                &table->cells[(size_t)r * (size_t)table->column_count + (size_t)c];
            char text[PAWL_STUDY_TEXT];
            json_array_append_new(row, table->columns[c].words ? json_out_text(cell->text)
                                       : printed               ? json_out_text(pawl_study_print(
                                                                     &table->columns[c], cell->number, text))
                                                               : json_out_number(cell->number));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *study_json_table(const pawl_study_table *table)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}",           //
                     "title", json_out_text(table->title),  //
                     "note", json_out_text(table->note),    //
                     "columns", study_json_columns(table),  //
                     "rows", study_json_rows(table, false), //
                     "printed", study_json_rows(table, true));
}

static json_t *study_json_points(const double *values, int count)
{
    json_t *points = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(points, json_out_number(values[i]));
    }
    return points;
}

static json_t *study_json_plot(const pawl_study_plot *plot)
{
    json_t *curves = json_array();
    for (int k = 0; k < plot->curve_count; ++k) {
        const pawl_study_curve *curve = &plot->curves[k];
        json_array_append_new(curves,
                              json_pack("{s:o, s:o, s:o}",                              //
                                        "label", json_out_text(curve->label),           //
                                        "x", study_json_points(curve->x, curve->count), //
                                        "y", study_json_points(curve->y, curve->count)));
    }
    bool time = plot->x_name == NULL;
    const char *x_unit = time ? "s" : plot->x_unit != NULL ? plot->x_unit : "";
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",                            //
                     "title", json_out_text(plot->title),                         //
                     "note", json_out_text(plot->note),                           //
                     "x_name", json_out_text(time ? "time" : plot->x_name),       //
                     "x_unit", json_out_text(x_unit),                             //
                     "unit", json_out_text(plot->unit != NULL ? plot->unit : ""), //
                     "curves", curves);
}

static json_t *study_json_claims(const pawl_study *study)
{
    json_t *claims = json_array();
    for (int i = 0; i < pawl_study_claim_count(study); ++i) {
        pawl_study_claim claim = pawl_study_claim_at(study, i);
        json_array_append_new(
            claims, json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}",                              //
                              "claim", json_out_text(claim.text),                            //
                              "unit", json_out_text(claim.unit != NULL ? claim.unit : ""),   //
                              "value", json_out_number(claim.value),                         //
                              "relation", json_out_text(pawl_relation_name(claim.relation)), //
                              "limit", json_out_number(claim.limit),                         //
                              "met", (int)claim.met));
    }
    return claims;
}

json_t *study_json(const pawl_study *study)
{
    json_t *text = json_array(), *tables = json_array(), *plots = json_array();
    for (int i = 0; i < pawl_study_item_count(study); ++i) {
        pawl_study_item item = pawl_study_item_at(study, i);
        switch (item.kind) {
        case PAWL_STUDY_PARAGRAPH:
            json_array_append_new(text, json_out_text(item.paragraph));
            break;
        case PAWL_STUDY_TABLE:
            json_array_append_new(tables, study_json_table(item.table));
            break;
        case PAWL_STUDY_PLOT:
            json_array_append_new(plots, study_json_plot(item.plot));
            break;
        case PAWL_STUDY_MOTION:
            break; // for pages
        }
    }
    return json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o}",        //
                     "name", json_out_text(pawl_study_name(study)),     //
                     "title", json_out_text(pawl_study_title(study)),   //
                     "source", json_out_text(pawl_study_source(study)), //
                     "met", (int)pawl_study_met(study),                 //
                     "claims", study_json_claims(study),                //
                     "text", text, "tables", tables, "plots", plots);
}
