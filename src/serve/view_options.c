// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The options of the viewer, and the viewer of a build without libwebsockets, which only reports that it is not
// available.
#include "base/guard.h"
#include "pawl/viewer.h"

pawl_viewer_options pawl_viewer_options_default(void)
{
    return (pawl_viewer_options){.settings = pawl_settings_default(),
                                 .output_folder = ".",
                                 .host = "127.0.0.1",
                                 .speed = 1.0,
                                 .running = true,
                                 .max_viewers = 16,
                                 .stamp = PAWL_STAMP_VIEW_OPTIONS};
}

#if !defined(PAWL_WITH_LIBWEBSOCKETS)
bool pawl_viewer_is_supported(void)
{
    return false;
}

pawl_status pawl_viewer_create(const pawl_env *env, const pawl_viewer_options *options,
                               pawl_viewer **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_NEED(env, options);
    return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                     "this pawl was built without libwebsockets: it has no viewer");
}

void pawl_viewer_destroy(pawl_viewer *view)
{
    (void)view;
}

const char *pawl_viewer_address(const pawl_viewer *view)
{
    (void)view;
    return "";
}

int pawl_viewer_port(const pawl_viewer *view)
{
    (void)view;
    return 0;
}

int pawl_viewer_video(const pawl_viewer *view)
{
    (void)view;
    return -1;
}

pawl_status pawl_viewer_serve(pawl_viewer *view)
{
    (void)view;
    return PAWL_UNSUPPORTED;
}
#endif
