# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Settings by name, with completion: the keys, ranges and help texts are the engine's own."""

import difflib

from . import _core

_TABLE = {row[0]: row for row in _core.settings_table()}


def _value(text):
    """A setting's text as Python has it: a number, a bool or a word."""
    if text in ("on", "off", "true", "false"):
        return text in ("on", "true")
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _text(value):
    if isinstance(value, bool):
        return "on" if value else "off"
    return repr(float(value)) if isinstance(value, float) else str(value)


class _Group:
    """The settings of one owner, e.g. settings.solver."""

    def __init__(self, settings, prefix):
        object.__setattr__(self, "_settings", settings)
        object.__setattr__(self, "_prefix", prefix)

    def _keys(self):
        kind = ["kind"] if self._prefix[:-1] in _TABLE else []  # settings.solver.kind has the key `solver`
        return kind + [key[len(self._prefix):] for key in _TABLE if key.startswith(self._prefix)]

    def __dir__(self):
        return self._keys()

    def __getattr__(self, name):
        if name == "kind" and self._prefix[:-1] in _TABLE:
            return self._settings[self._prefix[:-1]]
        if name.startswith("__") or self._prefix + name not in _TABLE:
            raise AttributeError(f"no setting {self._prefix}{name}; there are {', '.join(self._keys())}")
        return self._settings[self._prefix + name]

    def __setattr__(self, name, value):
        self._settings[self._prefix[:-1] if name == "kind" else self._prefix + name] = value

    def __repr__(self):
        return "\n".join(f"{self._prefix}{name} = {getattr(self, name)}" for name in self._keys())


class Settings:
    """Settings of a simulation, by key or by attribute:

        settings = pawl.Settings(dt=1e-3, stepper="euler")
        settings.solver_tolerance = 1e-9            # "solver.tolerance"
        settings.contact.margin = 1e-3
        settings["erp.contact"] = 0.2

    dir(settings) and the tab key show all; settings_help("contact") explains. A value out of range raises pawl.BadArgument.
    """

    def __init__(self, **keys):
        object.__setattr__(self, "_texts", {})
        for key, value in keys.items():
            setattr(self, key, value)

    @staticmethod
    def _key(name):
        """`solver_tolerance`, `solver__tolerance` and `solver.tolerance` are the same key."""
        if name in _TABLE:
            return name
        for candidate in (name.replace("__", "."), name.replace("_", ".", 1)):
            if candidate in _TABLE:
                return candidate
        near = difflib.get_close_matches(name, _TABLE, 3) + [key for key in _TABLE if name.split("_")[0].split(".")[0] in key]
        near = list(dict.fromkeys(near))
        raise AttributeError(f"no setting '{name}'" + (f"; near: {', '.join(near[:8])}" if near else ""))

    def __getitem__(self, key):
        key = self._key(key)
        return _value(self._texts.get(key, _TABLE[key][4]))

    def __setitem__(self, key, value):
        key = self._key(key)
        texts = dict(self._texts, **{key: _text(value)})
        _core.check_settings({key: texts[key]})
        self._texts[key] = texts[key]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if any(key.startswith(name + ".") for key in _TABLE):
            return _Group(self, name + ".")
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value

    def __dir__(self):
        return sorted({key.split(".")[0] for key in _TABLE} | {key.replace(".", "_") for key in _TABLE}) + ["as_dict", "copy"]

    def as_dict(self):
        """The settings that were changed, as texts by key."""
        return dict(self._texts)

    def copy(self):
        """A copy of its own."""
        other = Settings()
        other._texts.update(self._texts)
        return other

    def __repr__(self):
        return "Settings(" + ", ".join(f"{key}={value}" for key, value in self._texts.items()) + ")"


def make(settings, keys):
    """The dict of texts that the C part takes, from an object, a dict or keywords."""
    if settings is None:
        made = Settings()
    elif isinstance(settings, Settings):
        made = settings.copy()
    else:
        made = Settings(**settings)
    for key, value in keys.items():
        setattr(made, key, value)
    return made.as_dict()


def of_texts(texts):
    """Settings from the texts of a simulation or recording."""
    made = Settings()
    made._texts.update(texts)
    return made


def settings_help(part=""):
    """Prints the settings whose key contains `part`: default, unit, range, meaning."""
    for key, unit, allowed, text, default in _TABLE.values():
        if part in key:
            print(f"{key:26} {default:>12} {unit:10} {allowed}\n{'':26} {text}")


def steppers():
    """Names of the steppers with a line about each."""
    return dict(_core.names()[0])


def solvers():
    """Names of the solvers with a line about each."""
    return dict(_core.names()[1])
