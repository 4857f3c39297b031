// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Studies as text: columns as wide as their contents, paragraphs wrapped to the width of a terminal.
#include <math.h>
#include <string.h>

#include "study_out.h"

enum { STUDY_LINE = 96 };

// Characters that a terminal shows: bytes that continue a UTF-8 character take no room.
static int study_text_width(const char *text)
{
    int width = 0;
    for (const char *c = text; *c != '\0'; ++c) {
        width += ((unsigned char)*c & 0xc0) != 0x80 ? 1 : 0;
    }
    return width;
}

static void study_text_pad(FILE *to, const char *text, int width, bool right)
{
    int room = width - study_text_width(text);
    fprintf(to, "%*s%s%*s", right && room > 0 ? room : 0, "", text, !right && room > 0 ? room : 0,
            "");
}

static void study_text_paragraph(FILE *to, const char *text, int indent)
{
    int column = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        char word[256];
        snprintf(word, sizeof word, "%.*s", (int)(length < 255 ? length : 255), text);
        int width = study_text_width(word);
        if (column > 0 && column + 1 + width > STUDY_LINE) {
            fputc('\n', to);
            column = 0;
        }
        fprintf(to, "%*s%s", column == 0 ? indent : 1, "", word);
        column += width + (column == 0 ? indent : 1);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

// A cell as shown, with '!' behind digits that differ from those they are compared with.
static const char *study_text_cell(const pawl_study_table *table, int row, int column, char *text)
{
    const pawl_study_cell *cell =
        &table->cells[(size_t)row * (size_t)table->column_count + (size_t)column];
    if (table->columns[column].words) {
        return cell->text == NULL ? "" : cell->text;
    }
    char number[PAWL_STUDY_TEXT];
    pawl_study_print(&table->columns[column], cell->number, number);
    snprintf(text, PAWL_STUDY_TEXT + 1, "%s%s", number,
             pawl_study_differs(table, row, column) ? "!" : "");
    return text;
}

static const char *study_text_heading(const pawl_study_column *column, char *text, size_t size)
{
    bool unit = column->unit != NULL && column->unit[0] != '\0';
    snprintf(text, size, "%s%s%s%s", column->name, unit ? " [" : "", unit ? column->unit : "",
             unit ? "]" : "");
    return text;
}

static void study_text_table(FILE *to, const pawl_study_table *table)
{
    int width[PAWL_STUDY_COLUMNS];
    char text[128];
    bool differs = false;
    for (int c = 0; c < table->column_count; ++c) {
        width[c] = study_text_width(study_text_heading(&table->columns[c], text, sizeof text));
        for (int r = 0; r < table->row_count; ++r) {
            int shown = study_text_width(study_text_cell(table, r, c, text));
            width[c] = shown > width[c] ? shown : width[c];
            differs = differs || pawl_study_differs(table, r, c);
        }
    }
    fprintf(to, "\n%s\n", table->title);
    for (int r = -1; r < table->row_count; ++r) {
        for (int c = 0; c < table->column_count; ++c) {
            const char *shown = r < 0 ? study_text_heading(&table->columns[c], text, sizeof text)
                                      : study_text_cell(table, r, c, text);
            fputs("  ", to);
            // Nothing follows the last column: no spaces at the end of a line.
            bool last = c + 1 == table->column_count && table->columns[c].words;
            study_text_pad(to, shown, last ? 0 : width[c], !table->columns[c].words);
        }
        fputc('\n', to);
    }
    if (differs) {
        fprintf(to, "  !: the printed digits differ\n");
    }
    if (table->note != NULL) {
        study_text_paragraph(to, table->note, 2);
    }
}

static void study_text_claims(FILE *to, const pawl_study *study)
{
    int count = pawl_study_claim_count(study), widest = 0;
    for (int i = 0; i < count; ++i) {
        int width = study_text_width(pawl_study_claim_at(study, i).text);
        widest = width > widest ? width : widest;
    }
    fprintf(to, "\nclaims\n");
    for (int i = 0; i < count; ++i) {
        pawl_study_claim claim = pawl_study_claim_at(study, i);
        fprintf(to, "  %-3s  ", claim.met ? "yes" : "NO");
        study_text_pad(to, claim.text, widest, false);
        fprintf(to, "  %10.4g  (%s %.4g%s%s)\n", claim.value, pawl_relation_name(claim.relation),
                claim.limit, claim.unit != NULL && claim.unit[0] != '\0' ? " " : "",
                claim.unit != NULL ? claim.unit : "");
    }
    if (count == 0) {
        fprintf(to, "  none\n");
    }
}

void study_print(const pawl_study *study, FILE *to)
{
    int plots = 0;
    fprintf(to, "%s: %s\n", pawl_study_name(study), pawl_study_title(study));
    study_text_paragraph(to, pawl_study_source(study), 0);
    for (int i = 0; i < pawl_study_item_count(study); ++i) {
        pawl_study_item item = pawl_study_item_at(study, i);
        switch (item.kind) {
        case PAWL_STUDY_PARAGRAPH:
            fputc('\n', to);
            study_text_paragraph(to, item.paragraph, 0);
            break;
        case PAWL_STUDY_TABLE:
            study_text_table(to, item.table);
            break;
        case PAWL_STUDY_PLOT:
            ++plots;
            break;
        case PAWL_STUDY_MOTION:
            break; // for pages
        }
    }
    study_text_claims(to, study);
    if (plots > 0) {
        fprintf(to, "\n%d plot%s: --html FILE draws %s, --json FILE has the points\n", plots,
                plots == 1 ? "" : "s", plots == 1 ? "it" : "them");
    }
    fprintf(to, "\n%s\n",
            pawl_study_met(study) ? "reproduced: every claim is met" : "NOT MET: see the claims");
}
