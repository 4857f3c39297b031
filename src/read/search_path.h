// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Finds the files named in a model file: meshes, included models, height maps.
#pragma once
#include "read/xml_reader.h"

// Folders to search, separated by ':', before those of the environment (SDF_PATH, GZ_SIM_RESOURCE_PATH,
// GAZEBO_MODEL_PATH, ROS_PACKAGE_PATH). `model_path` is the file that the caller named.
pawl_status search_path_begin(xml_reader *reader, const char *given, const char *model_path);

// Whether a path lies, with all links followed, where files of the model may be.
bool search_path_allows(const xml_reader *reader, const char *path);

// The file of a URI in a model file: package://name/..., model://name/..., file://..., a path from the folder of the
// file that names it (or from `folder` below it, NULL for none), or an absolute one. *path is NULL, and nothing is
// logged, where there is none; `tried` then lists the places, in `size` bytes.
pawl_status search_path_find(xml_reader *reader, const xmlNode *where, const char *folder,
                             const char *uri, const char **path, char *tried, size_t size);

// The file that a URI might mean whose folders are wrong: the longest end of it that is found in the folder of the model
// file, up to four folders above it, or in a folder meshes there. *path is NULL where there is none.
pawl_status search_path_nearby(xml_reader *reader, const xmlNode *where, const char *uri,
                               const char **path);
