"""Draws mutants by lot over the lines of the core, with the operators of cargo-mutants.

cargo-mutants itself builds the tree once for each mutant; here all of them go into one build, so each place is
found by the tokens of the file, and what does not compile is taken out by the compiler's errors.
"""

import json
import random
import re

# The folders and files whose lines count: what a segment, a call or a timer of TCP passes.
COUNTED = ("tcp/", "stack/", "wire/", "congestion/", "storage/", "seq.rs", "time.rs")
# But for what smaller images have in the place of what the full one has, the link's protocols, echoes and
# errors, and what tells of a stack without changing what it does.
NOT_COUNTED = (
    "absent.rs", "few.rs", "one.rs", "scan.rs", "bulk.rs", "lent.rs", "invariants.rs", "info.rs",
    "statistics.rs", "wire/arp.rs", "wire/ndp.rs", "wire/ethernet.rs", "wire/icmp.rs", "parameters.rs",
    "built_in.rs", "error.rs", "count.rs", "siphash.rs",
)
# First number, seed, and how many.
UNSEEN = 1121
DRAWS = [(1001, 19, 120), (UNSEEN, 9293, 30)]

TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*")
  | (?P<char>b?'(?:\\(?:x..|u\{[^}]*\}|.)|[^'\\])')
  | (?P<lifetime>'[A-Za-z_]\w*)
  | (?P<number>\d[\d_]*(?:\.\d[\d_]*)?(?:[a-z]\w*)?|0x[\da-fA-F_]+\w*)
  | (?P<ident>[A-Za-z_]\w*(?:!(?!=))?)
  | (?P<op><<=|>>=|\.\.=|\.\.\.|&&|\|\||==|!=|<=|>=|=>|->|::|<<|>>|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\.\.|.)
    """,
    re.X | re.S,
)

PRECEDENCE = {
    "*": 11, "/": 11, "%": 11, "+": 10, "-": 10, "<<": 9, ">>": 9, "&": 8, "^": 7, "|": 6,
    "==": 5, "!=": 5, "<": 5, ">": 5, "<=": 5, ">=": 5, "&&": 4, "||": 3, "..": 2, "..=": 2,
}
SWAPS = {
    "==": ["!="], "!=": ["=="], "<": ["<=", ">"], ">": [">=", "<"], "<=": ["<", ">="],
    ">=": [">", "<="], "+": ["-"], "-": ["+"], "&&": ["||"], "||": ["&&"],
    "*": ["/"], "/": ["*"], "<<": [">>"], ">>": ["<<"],
}
ENDS = {"return", "if", "while", "match", "in", "let", "else", "break", "move", "for", "loop"}
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "=>", ";", ",", "->"}
NUMBERS = {"u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "u128", "i128"}


class Place:
    """A place that can be mutated: a span of a file, and what it becomes."""

    def __init__(self, file, start, end, what, render):
        self.file, self.start, self.end, self.what, self._render = file, start, end, what, render

    def key(self):
        return f"{self.file}:{self.start}-{self.end}:{self.what}"

    def render(self, chosen, text):
        return self._render(chosen, text)


def tokens(text):
    """Tokens that are neither comments nor spaces: (text, kind, start, end)."""
    found = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "hashes":
            kind = "string"
        if kind in ("space", "comment"):
            continue
        if match.group("comment") or match.group("space"):
            continue
        kind = next(
            k for k in ("string", "char", "lifetime", "number", "ident", "op") if match.group(k)
        )
        found.append((match.group(), kind, match.start(), match.end()))
    return found


def partners(those):
    """For each bracket the index of its partner."""
    pairs, stack = {}, []
    for index, (text, kind, _, _) in enumerate(those):
        if kind != "op":
            continue
        if text in "([{":
            stack.append(index)
        elif text in ")]}" and stack:
            other = stack.pop()
            pairs[index], pairs[other] = other, index
    return pairs


def functions(those, pairs):
    """Bodies of functions that can have mutants: (name, return type, first token, last token)."""
    index, skip_to = 0, -1
    while index < len(those):
        text, kind, _, _ = those[index]
        if text == "#" and those[index + 1][0] == "[":
            close = pairs[index + 1]
            inner = " ".join(token[0] for token in those[index + 2 : close])
            index = close + 1
            if inner.startswith("cfg (") and "test" in inner:
                # The item that follows is for tests only.
                while those[index][0] not in ("{", ";"):
                    index = pairs[index] + 1 if those[index][0] in "([" and index in pairs else index + 1
                index = pairs.get(index, index) + 1
            continue
        if text in ("macro_rules!", "const", "static") and (
            text == "macro_rules!" or those[index + 1][0] not in ("fn", "unsafe")
        ):
            if text == "macro_rules!" or those[index + 1][1] == "ident":
                while index < len(those) and those[index][0] not in ("{", ";"):
                    index = pairs[index] + 1 if those[index][0] in "([" and index in pairs else index + 1
                index = pairs.get(index, index) + 1
                continue
        if text == "fn" and kind == "ident" and those[index + 1][1] == "ident":
            is_const = index > 0 and those[index - 1][0] == "const"
            name = those[index + 1][0]
            at = index + 2
            returns = ""
            arrow = None
            while at < len(those) and those[at][0] not in ("{", ";"):
                if those[at][0] == "->" and arrow is None:
                    arrow = at
                at = pairs[at] + 1 if those[at][0] in "([" and at in pairs else at + 1
            if at < len(those) and those[at][0] == "{":
                if arrow is not None:
                    returns = " ".join(token[0] for token in those[arrow + 1 : at])
                    returns = returns.split(" where ")[0]
                if not is_const and name != "fmt":
                    yield name, returns, at, pairs[at]
                index = pairs[at] + 1 if is_const or name == "fmt" else at + 1
                continue
        index += 1


def default_of(returns, chance):
    if not returns:
        return "return;"
    if returns == "bool":
        return f"return {chance.choice(['true', 'false'])};"
    if returns in NUMBERS:
        return f"return {chance.choice([0, 1])};"
    if returns.startswith("Option <"):
        return "return None;"
    if returns.startswith("Result < ( )"):
        return "return Ok(());"
    if returns.startswith(("&", "impl", "[ &", "Self")):
        return None
    return "return Default::default();"


def is_operand_end(token):
    text, kind, _, _ = token
    if kind in ("number", "string", "char"):
        return True
    return text in (")", "]", "?") or (kind == "ident" and text not in ENDS)


def operands(those, pairs, at):
    """The span of the binary operator at a token with both operands, or None."""
    precedence = PRECEDENCE[those[at][0]]
    left = at - 1
    while left >= 0:
        text, kind, _, _ = those[left]
        if kind == "op" and text in ")]":
            left = pairs.get(left, 0) - 1
            continue
        if kind == "op":
            if text in "([{}" or text in ASSIGN or text in ("|",):
                break
            is_binary = text in PRECEDENCE and left > 0 and is_operand_end(those[left - 1])
            if is_binary and PRECEDENCE[text] < precedence:
                break
        elif text in ENDS:
            break
        left -= 1
    right = at + 1
    while right < len(those):
        text, kind, _, _ = those[right]
        if kind == "op" and text in "([":
            right = pairs.get(right, right) + 1
            continue
        if kind == "op":
            if text in ")]{}" or text in ASSIGN:
                break
            is_binary = text in PRECEDENCE and is_operand_end(those[right - 1])
            if is_binary and PRECEDENCE[text] <= precedence:
                break
        elif text in ENDS:
            break
        right += 1
    if left + 1 >= at or right - 1 <= at:
        return None
    return those[left + 1][2], those[right - 1][3]


def places(file, text, chance):
    those = tokens(text)
    pairs = partners(those)
    seen = set()
    for name, returns, first, last in functions(those, pairs):
        body = those[first][3]
        default = default_of(returns, chance)
        if default and pairs[first] > first + 1:
            yield Place(
                file, body, body, f"{name}: {default[:-1]}",
                lambda chosen, _, default=default: f" if {chosen} {{ {default} }} ",
            )
        for at in range(first + 1, last):
            if at in seen:
                continue
            seen.add(at)
            token, kind, start, end = those[at]
            spaced = text[start - 1 : start].isspace() and text[end : end + 1].isspace()
            if kind == "op" and token in SWAPS and spaced and is_operand_end(those[at - 1]):
                span = operands(those, pairs, at)
                if span is None:
                    continue
                for other in SWAPS[token]:
                    before, after = text[span[0] : start], text[end : span[1]]
                    yield Place(
                        file, *span, f"{name}: {token} is {other}",
                        lambda chosen, original, before=before, after=after, other=other: (
                            f"(if {chosen} {{ {before}{other}{after} }} else {{ {original} }})"
                        ),
                    )
            elif kind == "op" and token == "!" and not is_operand_end(those[at - 1]):
                yield Place(
                    file, start, end, f"{name}: ! removed",
                    lambda chosen, _: f"!{chosen} ^ ",
                )
            elif kind == "op" and token in ("+=", "-="):
                close = at
                while close < last and those[close][0] != ";":
                    close = pairs[close] + 1 if those[close][0] in "([{" and close in pairs else close + 1
                open_at = at - 1
                while open_at > first and those[open_at][0] not in (";", "{", "}"):
                    open_at = pairs[open_at] - 1 if those[open_at][0] in ")]" else open_at - 1
                span = (those[open_at + 1][2], those[close][3])
                other = "-=" if token == "+=" else "+="
                before, after = text[span[0] : start], text[end : span[1]]
                yield Place(
                    file, *span, f"{name}: {token} is {other}",
                    lambda chosen, original, before=before, after=after, other=other: (
                        f"if {chosen} {{ {before}{other}{after} }} else {{ {original} }}"
                    ),
                )
            elif kind == "op" and token == "=>":
                if those[at - 1][0] == "_":
                    continue
                # `if` since the arm began: there is a guard already.
                back = at - 1
                while back > first and those[back][0] not in (",", "{", "}", "=>"):
                    back = pairs[back] - 1 if those[back][0] in ")]" and back in pairs else back - 1
                has_guard = any(each[0] == "if" for each in those[back:at])
                joined = "&& " if has_guard else "if "
                yield Place(
                    file, start, end, f"{name}: match arm deleted",
                    lambda chosen, _, joined=joined: f"{joined}!{chosen} =>",
                )
            elif kind == "number" and re.fullmatch(r"\d[\d_]*", token) and those[at - 1][0] not in (".", "[", ".."):
                if those[at + 1][0] in ("..", "..=", "=>", "|") or those[at - 1][0] in ("..=", "|"):
                    continue
                other = str(int(token.replace("_", "")) + 1)
                yield Place(
                    file, start, end, f"{name}: {token} is {other}",
                    lambda chosen, original, other=other: (
                        f"(if {chosen} {{ {other} }} else {{ {original} }})"
                    ),
                )


class Each:
    """A chance that always takes the choice of this index."""

    def __init__(self, index):
        self.index = index

    def choice(self, those):
        return those[self.index]


def described(file, text):
    """All places of a file, by what tells one from another wherever it stands: the operator, the line, and how many alike
    come before."""
    found = {}
    for place in [*places(file, text, Each(0)), *places(file, text, Each(-1))]:
        found.setdefault((place.start, place.end, place.what), place)
    counts, by_words = {}, {}
    for _, place in sorted(found.items()):
        line = text[text.rfind("\n", 0, place.start) + 1 :].split("\n", 1)[0].strip()
        words = (place.what, line)
        counts[words] = counts.get(words, 0) + 1
        by_words[(*words, counts[words])] = place
    return by_words


def draw(sources, seed):
    """All places of the core in the order of the lot."""
    chance = random.Random(seed)
    found = []
    for file in sorted(sources):
        counts = file.startswith(COUNTED) and "test" not in file and not file.endswith(NOT_COUNTED)
        if counts:
            found.extend(places(file, sources[file], chance))
    chance.shuffle(found)
    return found


def drawn_before(sources, path):
    """The lot as it was drawn once: numbers and places. Those that the core no longer has are told."""
    known = {}
    for number, (file, *words) in json.loads(path.read_text()).items():
        if file not in known:
            known[file] = described(file, sources.get(file, ""))
        place = known[file].get(tuple(words))
        if place is None:
            print(f"no longer there: {number} {file}: {words}")
        else:
            yield int(number), place


def keep(sources, mutants, path):
    """Writes down what was drawn, so that it stays what it is while the core changes."""
    lines = []
    for mutant in (mutant for mutant in mutants if mutant.number > 1000):
        places = described(mutant.file, sources[mutant.file]).items()
        here = (mutant.start, mutant.end, mutant.what)
        words = next(words for words, place in places if (place.start, place.end, place.what) == here)
        lines.append(f'"{mutant.number}": {json.dumps([mutant.file, *words])}')
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
