"""Finds circles of imports between the modules of a Rust crate.

Modules of one folder are compared, in every folder of the crate: what stands anywhere below one of them
counts as that module. A folder's own file (`mod.rs`, `lib.rs`, `main.rs`) is left out, since a parent and
its children may know each other; names that it re-exports count as those of the module that defines them.
Tests may import what they like.

Run as a program it prints the circles of the crates that are named: import_cycles.py CRATE_FOLDER...
"""

import os
import re
import sys

COMMENTS_AND_LITERALS = re.compile(
    r"""//[^\n]* | /\*.*?\*/
      | \bb?r(\#*)".*?"\1
      | b?"(?:\\.|[^"\\])*"
      | b?'(?:\\(?:u\{\w+\}|x\w\w|.)|[^'\\])'
    """,
    re.DOTALL | re.VERBOSE,
)
TOKEN = re.compile(r"(?:r\#)?\w+|::|->|=>|[^\s\w]")
NAME = re.compile(r"(?:r#)?[A-Za-z_]\w*$")
ITEMS = {"fn", "struct", "enum", "trait", "type", "const", "static", "union", "mod", "macro_rules"}
OPEN, CLOSE = set("({["), set(")}]")


class Module:
    """What one file, or one module written out inside a file, declares and imports."""

    def __init__(self, place, file):
        self.place = place  # the names that lead to it from the crate's root
        self.file = file
        self.declared = set()
        self.imported = {}  # name in this module: the path that it stands for
        self.globs = []  # paths of `use path::*`
        self.uses = []  # every path that begins with crate, self or super, or is imported


def modules_of(crate):
    """The modules of a crate, by their places; tests are left out."""
    source = os.path.join(crate, "src")
    modules, only_tests = {}, set()
    for folder, _, names in os.walk(source):
        for name in sorted(names):
            if not name.endswith(".rs"):
                continue
            file = os.path.join(folder, name)
            place = tuple(os.path.relpath(file, source)[: -len(".rs")].split(os.sep))
            if place[-1] in ("mod", "lib", "main"):
                place = place[:-1]
            with open(file, encoding="utf-8") as text:
                tokens = TOKEN.findall(COMMENTS_AND_LITERALS.sub(" ", text.read()))
            read_module(modules, only_tests, Module(place, file), tokens)

    def is_test(place):
        return any(place[:end] in only_tests for end in range(1, len(place) + 1))

    return {place: module for place, module in modules.items() if not is_test(place)}


def read_module(modules, only_tests, module, tokens):
    """Notes what the tokens of a module say, in `modules`, and which of its modules are only tests."""
    modules[module.place] = module
    at, depth = 0, 0
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token == "#" and following == "[":
            end = closing(tokens, at + 1)
            if is_for_tests(tokens[at + 2 : end]):
                at = skip_item(tokens, end + 1)
                skipped = tokens[end + 1 : at]
                if "mod" in skipped:
                    only_tests.add(module.place + (skipped[skipped.index("mod") + 1],))
                continue
            at = end + 1
            continue
        if token == "mod" and NAME.match(following) and tokens[at + 2 : at + 3] == ["{"]:
            end = closing(tokens, at + 2)
            inner = Module(module.place + (following,), module.file)
            read_module(modules, only_tests, inner, tokens[at + 3 : end])
            at = end + 1
            continue
        if token == "use" and depth == 0:
            end = tokens.index(";", at)
            note_import(module, tokens[at + 1 : end])
            at = end + 1
            continue
        if token in ("crate", "self", "super") and following == "::" and tokens[at - 1] != "::":
            paths, at = read_tree(tokens, at)
            module.uses += [path for path, _ in paths]
            continue
        if token in ITEMS and depth == 0:
            name = tokens[at + 2] if following == "!" else following
            module.declared.add(name)
        depth += (token in OPEN) - (token in CLOSE)
        at += 1


def is_for_tests(attribute):
    """Whether an attribute compiles what follows for tests only: `cfg(test)` or `cfg(all(test, ...))`."""
    text = "".join(attribute)
    return text == "cfg(test)" or text.startswith("cfg(all(test,")


def note_import(module, tokens):
    """Notes the paths of a `use`, whose tokens these are without the word itself."""
    paths, _ = read_tree(tokens, 0)
    for path, alias in paths:
        module.uses.append(path)
        if path[-1] == "*":
            module.globs.append(path[:-1])
        else:
            module.imported[alias or path[-1]] = path


def read_tree(tokens, at):
    """Reads `a::{b, c as d, e::*}`; returns the paths with their aliases, and where the tree ends."""
    path = []
    while at < len(tokens):
        token = tokens[at]
        if token == "::":
            at += 1
        elif token == "{" and (not path or tokens[at - 1] == "::"):
            end, paths = closing(tokens, at), []
            at += 1
            while at < end:
                branch, at = read_tree(tokens, at)
                for inner, alias in branch:
                    # `a::{self}` is `a`.
                    inner = () if inner == ("self",) else inner
                    paths.append((tuple(path) + inner, alias))
                at += tokens[at] == ","
            return paths, end + 1
        elif token == "*" and path and tokens[at - 1] == "::":
            return [(tuple(path) + ("*",), None)], at + 1
        elif NAME.match(token) and (not path or tokens[at - 1] == "::"):
            path.append(token)
            at += 1
        else:
            break
    if tokens[at : at + 1] == ["as"]:
        return [(tuple(path), tokens[at + 1])], at + 2
    # What cannot be read is stepped over, so that reading goes on.
    return [(tuple(path), None)] if path else [], at if path else at + 1


def closing(tokens, at):
    """Where the bracket that opens here is closed."""
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end] in OPEN) - (tokens[end] in CLOSE)
        if depth == 0:
            return end
    return len(tokens) - 1


def skip_item(tokens, at):
    """Where the item, field or match arm that begins here is over."""
    while tokens[at : at + 2] == ["#", "["]:
        at = closing(tokens, at + 1) + 1
    first = at + (tokens[at] == "pub")
    if tokens[first] == "(":
        first = closing(tokens, first) + 1
    is_use = tokens[first] == "use"
    while at < len(tokens):
        if tokens[at] in (";", ","):
            return at + 1
        if tokens[at] in OPEN:
            is_block = tokens[at] == "{" and not is_use
            at = closing(tokens, at)
            if is_block:
                return at + 1
        elif tokens[at] in CLOSE:
            return at
        at += 1
    return at


def target(modules, place, path, seen=()):
    """The module that declares what `path` names when it is written in the module at `place`; none if
    that is outside the crate."""
    if (place, path) in seen:
        return None
    seen += ((place, path),)
    first, rest = path[0], path[1:]
    if first == "crate":
        place = ()
    elif first == "super":
        place = place[:-1]
    elif first != "self":
        # The beginning of an import: a child or a name of this module, or another crate.
        rest = path
        module = modules.get(place)
        if place + (first,) not in modules and (module is None or first not in module.imported):
            return None
    while rest and rest[0] == "super":
        place, rest = place[:-1], rest[1:]
    for index, name in enumerate(rest):
        module = modules.get(place)
        if module is None or name == "*":
            return place
        if place + (name,) in modules:
            place += (name,)
            continue
        if name in module.declared:
            return place
        if name in module.imported and module.imported[name] != path:
            onward = module.imported[name] + rest[index + 1 :]
            return target(modules, place, onward, seen)
        for glob in module.globs:
            found = target(modules, place, glob, seen)
            if found in modules and name in modules[found].declared:
                return found
        return place
    return place


def edges_of(modules):
    """For each folder its edges: from a module to a sibling, with a file and a path that make it."""
    folders = {}
    for place, module in modules.items():
        for path in module.uses:
            end = target(modules, place, path)
            if end is None:
                continue
            common = len(os.path.commonprefix([place, end]))
            if common < len(place) and common < len(end):
                edges = folders.setdefault(place[:common], {})
                witness = (module.file, "::".join(path))
                edges.setdefault(place[common], {}).setdefault(end[common], witness)
    return folders


def circle(edges):
    """A shortest circle as a list of names, the first one again at its end; none if there is none."""
    shortest = None
    for start in sorted(edges):
        ways = [[start]]
        seen = set()
        while ways:
            way = ways.pop(0)
            for onward in sorted(edges.get(way[-1], ())):
                if onward == start and (shortest is None or len(way) + 1 < len(shortest)):
                    shortest = way + [start]
                if onward not in seen and onward != start:
                    seen.add(onward)
                    ways.append(way + [onward])
    return shortest


def problems(crate, root="."):
    """One line for each folder of a crate whose modules import each other in a circle."""
    modules = modules_of(os.path.join(root, crate))
    for folder, edges in sorted(edges_of(modules).items()):
        found = circle(edges)
        if found is None:
            continue
        steps = [edges[one][other] for one, other in zip(found, found[1:])]
        by = "; ".join(f"{os.path.relpath(file, root)} uses {path}" for file, path in steps)
        at = "/".join((crate.rstrip("/"), "src") + folder)
        yield f"{at}: modules import each other, {' -> '.join(found)} ({by})"


if __name__ == "__main__":
    found = [problem for crate in sys.argv[1:] for problem in problems(crate)]
    print("\n".join(found) if found else "no circles of imports")
    sys.exit(bool(found))
