// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Forces in the axes of a body, in a model that is written as URDF: the file turns link frames to those of the joints, and
// the components of such forces were left as they were. The file said that it moved as the model and did not.
#include "pawl/io.h"
#include "pawl/pawl.h"
#include "pawl/write.h"
#include "support/test.h"
#include <math.h>
#include <string.h>

// A ball joint whose frame is turned against the link's, and a force with a component of each kind of signal.
static const char turned_sdf[] =
    "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'><model name='m'><link name='rod'>"
    "<pose>0.3 0.1 0.2 0.5 -0.4 1.1</pose><inertial><pose>0.1 0.2 -0.05 0 0 0</pose><mass>2</mass>"
    "<inertia><ixx>0.03</ixx><iyy>0.05</iyy><izz>0.04</izz></inertia></inertial></link>"
    "<joint name='ball' type='ball'><parent>world</parent><child>rod</child>"
    "<pose>0.1 -0.2 0.15 0.9 0.3 -1.4</pose></joint>"
    "<pawl:force name='thrust' body='rod' point='0.1 0.05 -0.2' axes='body'>"
    "<pawl:fx><pawl:sinusoid offset='1' amplitude='8' frequency='5' phase='0.3'/></pawl:fx>"
    "<pawl:fz><pawl:constant>-6</pawl:constant></pawl:fz>"
    "<pawl:ty><pawl:table interpolation='cubic'>0 0  0.1 2  0.3 -1</pawl:table></pawl:ty>"
    "</pawl:force></model></sdf>";

static pawl_vec3 turned_end(const pawl_env *env, const pawl_model *model)
{
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(env, model, &settings, &sim));
    for (int step = 0; step < 300; ++step) {
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
    pawl_vec3 end = pawl_state_centre_of_mass(pawl_sim_state(sim));
    pawl_sim_destroy(sim);
    return end;
}

// The model itself is the answer.
TEST(a_urdf_file_has_forces_in_body_axes_as_the_model_has_them)
{
    test_env t;
    test_env_init(&t);
    static pawl_write_report report;
    char path[512];
    pawl_model *model, *back;
    CHECK_OK(pawl_model_parse(&t.env, "m.sdf", turned_sdf, strlen(turned_sdf), NULL, &model));
    CHECK_OK(pawl_model_write(&t.env, model, PAWL_FILE_URDF,
                              test_path("turned.urdf", path, sizeof path), &report));
    for (int i = 0; i < report.count; ++i) {
        CHECK(!report.losses[i].motion);
    }
    CHECK_OK(pawl_model_load(&t.env, path, NULL, &back));
    pawl_vec3 a = turned_end(&t.env, model), b = turned_end(&t.env, back);
    CHECK_NEAR(a.x, b.x, 1e-9);
    CHECK_NEAR(a.y, b.y, 1e-9);
    CHECK_NEAR(a.z, b.z, 1e-9);
    pawl_model_destroy(back);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}
