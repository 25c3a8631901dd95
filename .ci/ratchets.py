"""Counts what CONTRIBUTING.md wants less of. Each count has a limit, which is what it was last and may
only fall: a higher count is a problem, and so is a lower one as long as the limit has not followed it.

    python3 .ci/ratchets.py          prints each count, its limit, and where it is not what it should be
    python3 .ci/ratchets.py NAME     prints every place that a count counts
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORE = os.path.join("crates", "ackclock", "src")

# What is counted, and how often it was there last.
LIMITS = {
    # Two of them for each crate of cryptography: its hash in `wire`, its keys in `stack`.
    "conditions": 50,
    # Each with its reason:
    # - storage/mod.rs, CAN_GROW: whether there is a heap, for all who ask;
    # - tell.rs, three: the macro by which all lines are told asks where it is expanded;
    # - wire/address/mod.rs, IPV4_EXISTS: whether IPv4 is read, for all who ask.
    "conditions that break the rule": 5,
    # stack/memory/lent.rs for stack/memory.rs, storage/in_place.rs for storage/on_demand.rs,
    # wire/address/absent.rs for wire/address/ipv6.rs.
    "stand-ins": 3,
    "functions over 60 lines": 1,
    "functions over 80 lines": 0,
    "functions with more than five parameters": 2,
    "inline attributes that depend on a feature": 0,
    "pairs of file names one letter apart": 4,
    # Each with its reason:
    # - io/mod.rs and wire/predicted/mod.rs: what a folder is and what it shows to others;
    # - io/nal.rs: one item, behind a feature of its own;
    # - tell.rs: one macro;
    # - wire/address/ipv6.rs: what wire/address/absent.rs stands in for.
    "files under 30 lines": 5,
}

# Files that are about one feature and nothing else: a condition may switch a whole item of theirs.
ABOUT_A_FEATURE = {
    "lib.rs": "the features of the crate",
    "storage/buffer.rs": "alloc: memory that is lent, or grows",
    "tell.rs": "log and defmt",
}

LONG, TOO_LONG, MOST_PARAMETERS, SHORT = 60, 80, 5, 30
CONDITION = re.compile(r"\b(?:cfg|cfg_attr)!?\s*\((?=[^;{]*?feature)")
SWITCHED = re.compile(r"(?:pub(?:\([^)]*\))?\s+)?(?:mod|use|extern crate)\b")
FUNCTION = re.compile(
    r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+|extern\s+\"C\"\s+)*fn\s+(\w+)", re.M
)


def is_test(path):
    return "/tests/" in path or os.path.basename(path) in ("tests.rs", "rtt_tests.rs", "test_random.rs")


def rust_files(folder):
    for base, folders, names in os.walk(os.path.join(ROOT, folder)):
        folders[:] = sorted(name for name in folders if name not in ("target", ".git", "corpus-work"))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(base, name), ROOT)
            if name.endswith(".rs") and not is_test(path):
                yield path


def code(path):
    """The file with comments and the contents of strings blanked, line by line, without its tests."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    # Strings stay where a condition names a feature.
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', lambda m: m[0] if re.fullmatch(r'"[\w./-]*"', m[0]) else '""', text)
    end = re.search(r"^#\[cfg\([^\n]*\btest\b[^\n]*\]\n(?:#\[[^\n]*\n)*mod tests \{", text, re.M)
    return text[: end.start()] if end else text


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def after_attributes(text, position):
    """What follows the attributes, the first of which has `position` in it."""
    while True:
        close = closing(text, text.rfind("#", 0, position), "[", "]")
        rest = text[close + 1 :].lstrip()
        if not rest.startswith("#["):
            return rest
        position = len(text) - len(rest) + 2


def closing(text, start, left, right):
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == left) - (text[position] == right)
        if text[position] == right and depth == 0:
            return position
    return len(text)


def conditions(path, text):
    for match in CONDITION.finditer(text):
        before = text[: match.start()].rstrip()
        line_start = text.rfind("\n", 0, match.start()) + 1
        line = text[line_start : match.end()]
        # One attribute with an `any(..)` of several features is one condition.
        is_attribute = before.endswith(("#[", "#!["))
        yield match.start(), is_attribute, line


def breaks(path, text, position, is_attribute):
    relative = os.path.relpath(path, CORE)
    if not is_attribute:
        return True
    if text[: position].rstrip().endswith("#!["):
        return relative not in ABOUT_A_FEATURE
    if SWITCHED.match(after_attributes(text, position)):
        return False
    indent = position - 2 - (text.rfind("\n", 0, position) + 1)
    return not (relative in ABOUT_A_FEATURE and (indent == 0 or relative == "storage/buffer.rs"))


def functions(text):
    for match in FUNCTION.finditer(text):
        head = text.find("(", match.end())
        generics = text.find("<", match.end(), head + 1)
        if generics != -1 and text[match.end() : generics].strip() == "":
            depth, head = 0, generics
            while head < len(text):
                depth += text[head] == "<"
                depth -= text[head] == ">" and text[head - 1] != "-"
                if depth == 0:
                    break
                head += 1
            head = text.find("(", head)
        tail = closing(text, head, "(", ")")
        depth, count, some = 0, 0, False
        for char in text[head + 1 : tail]:
            depth += (char in "([{<") - (char in ")]}>")
            if char == "," and depth == 0:
                count, some = count + some, False
            elif not char.isspace():
                some = True
        first = text[head + 1 : tail].split(",")[0]
        count += some - bool(re.search(r"\bself\b", first))
        body = re.compile(r"[{;]").search(text, tail)
        lines = 1
        if body and body[0] == "{":
            lines = text.count("\n", match.start(), closing(text, body.start(), "{", "}")) + 1
        yield match.start(), match[1], lines, count


def one_letter_apart(a, b):
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    if len(a) > len(b):
        a, b = b, a
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), len(a))
    return a[at:] == b[at + 1 :] or a[at + 1 :] == b[at + 1 :]


def pairs():
    for base, folders, names in os.walk(ROOT):
        folders[:] = sorted(
            name for name in folders if name not in ("target", ".git", "corpus", "corpus-work", "artifacts")
        )
        stems = sorted({name.split(".")[0] for name in names + folders if len(name.split(".")[0]) > 3})
        for index, stem in enumerate(stems):
            for other in stems[index + 1 :]:
                if one_letter_apart(stem, other) and not (stem[-1:] + other[-1:]).isdigit():
                    yield f"{os.path.relpath(base, ROOT)}: {stem}, {other}"


def places():
    """Of each count the places that it counts."""
    found = {name: [] for name in LIMITS}
    for path in rust_files(CORE):
        text = code(path)
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            lines = len(file.readlines())
        if lines < SHORT:
            found["files under 30 lines"].append(f"{path}, {lines} lines")
        for position, is_attribute, line in conditions(path, text):
            place = f"{path}:{line_of(text, position)}"
            found["conditions"].append(place)
            attribute = text[position : closing(text, position, "(", ")") + 1] if is_attribute else ""
            if "inline" in attribute:
                found["inline attributes that depend on a feature"].append(place)
            if re.search(r"path\s*=", attribute):
                found["stand-ins"].append(place)
            if breaks(path, text, position, is_attribute):
                found["conditions that break the rule"].append(place)
        for position, name, lines, parameters in functions(text):
            place = f"{path}:{line_of(text, position)}: {name}"
            if lines > LONG:
                found["functions over 60 lines"].append(f"{place}, {lines} lines")
            if lines > TOO_LONG:
                found["functions over 80 lines"].append(f"{place}, {lines} lines")
            if parameters > MOST_PARAMETERS:
                found["functions with more than five parameters"].append(f"{place}, {parameters}")
    found["pairs of file names one letter apart"] = list(pairs())
    return found


def untested_stand_ins():
    """Stand-ins that only builds without a feature compile, and so the tests of the workspace never."""
    for path in rust_files(CORE):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        for name in re.findall(r'cfg_attr\([^\]]*feature[^\]]*path\s*=\s*"(\w+)\.rs"', text):
            if not re.search(rf"^#\[cfg\(test\)\]\n(?:#\[[^\n]*\n)*mod {name};", text, re.M):
                yield f"{path}: {name}.rs stands in for another file; compile it for its tests, too (`mod {name};`)"


def problems():
    yield from untested_stand_ins()
    for name, found in places().items():
        limit = LIMITS[name]
        if len(found) > limit:
            yield f".ci/ratchets.py: {len(found)} {name}, at most {limit}: 'python3 .ci/ratchets.py \"{name}\"'"
        elif len(found) < limit:
            yield f".ci/ratchets.py: {len(found)} {name} where the limit is {limit}: lower the limit"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print("\n".join(places()[sys.argv[1]]))
    else:
        for name, found in places().items():
            print(f"{len(found):4} {name} (limit {LIMITS[name]})")
        found = list(problems())
        print("\n".join(found))
        sys.exit(bool(found))
