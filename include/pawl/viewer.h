// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The live viewer: a server on this machine's loopback address that runs a model and shows it in a browser.
/// docs/view.md is its guide, docs/view-protocol.md its protocol. Only the page that knows the random token of the
/// address is answered.
///
/// **Threads.** A view belongs to one thread, which serves; the simulation runs in a separate thread.
#pragma once
#include "pawl/io.h"

PAWL_EXTERN_C_BEGIN

/// Start from pawl_viewer_options_default().
typedef struct pawl_viewer_options {
    const char *model_path;     ///< what to run; NULL: the gallery
    const char *record_path;    ///< a recording to replay instead; or NULL
    const char *const *gallery; ///< files of the gallery (gallery_count); copied
    int gallery_count;
    const char *gallery_folder; ///< names in the gallery are paths below it; or NULL
    const pawl_load_options
        *load; ///< how models are read; NULL for the defaults. Must outlive the view
    pawl_settings settings;
    const char *video_path;    ///< file for the film of a recording that a page makes; or NULL
    const char *output_folder; ///< where recordings go
    const char *host;          ///< address to listen on, 127.0.0.1 by default
    int port;                  ///< 0: any that is free
    double speed;              ///< simulated over real time; 0: as fast as possible
    bool running;              ///< from the start; otherwise it waits for a page to start it
    int max_viewers;           ///< pages that are served at once
    uint32_t stamp;            ///< set by the default function; shows that it was called
} pawl_viewer_options;
/// An empty gallery on the loopback address, running in real time.
PAWL_API pawl_viewer_options pawl_viewer_options_default(void);

typedef struct pawl_viewer pawl_viewer;
/// Whether the server is built in (libwebsockets). Without it pawl_viewer_create() returns PAWL_UNSUPPORTED.
PAWL_API bool pawl_viewer_is_supported(void);
/// Loads the model and opens the port; nothing is served yet.
PAWL_API pawl_status pawl_viewer_create(const pawl_env *env, const pawl_viewer_options *options,
                                        pawl_viewer **out);
PAWL_API void pawl_viewer_destroy(pawl_viewer *view); ///< NULL is fine
/// "http://127.0.0.1:40123/?token=...": what to open in a browser.
PAWL_API const char *pawl_viewer_address(const pawl_viewer *view);
PAWL_API int pawl_viewer_port(const pawl_viewer *view); ///< that it listens on
/// Serves pages until an event occurred or a quarter of a second has passed; call it in a loop.
PAWL_API pawl_status pawl_viewer_serve(pawl_viewer *view);

/// Of a viewer with a video_path: 0 while no page has sent the film, 1 when it is in its file, -1 when it could not be
/// made; the log then says why. The page makes it when its address ends in "#video=webm" or "#video=gif", with
/// &width=, &height=, &fps=, &speed=, &start= and &end= where they are wanted.
PAWL_API int pawl_viewer_video(const pawl_viewer *view);

PAWL_EXTERN_C_END
