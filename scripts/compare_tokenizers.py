#!/usr/bin/env python3
"""Compares `boughs tokenize` with NLTK on treebanks whose text is put together again.

    cargo build --release
    pip install nltk                 # in an environment outside of the repository
    python3 scripts/compare_tokenizers.py --part dev --punkt DIRECTORY

Treebanks have tokens, not text. Each sentence's words (traces left out, escapes undone) are joined by these rules, which
look at tags and words only; the same text goes to every program.

 1. No blank before , . ; : ? ! ) ] } % ... and other closing marks, nor after ( [ { and opening quotation marks, $ # and other
    currencies, ~ and the section sign.
 2. `` and '' become ", a lone ` becomes '. A quotation mark leans to the side that its tag says.
 3. No blank before 's n't 'll and other clitics and the genitive apostrophe; none within can+not, gon+na, got+ta, wan+na, y'+all.
 4. No blank around tokens tagged HYPH, around - – / and : tagged SYM, and around the dash —; but a blank after a hyphen before
    `and`, `or`, `to`, unless another hyphen follows these. Blanks around - – -- tagged as punctuation.
 5. + leans to the left beside / or after a number; − leans to the left after a noun, number or sign, and to the right before a number
    or /. ′ ° ™ ® ¢ lean to the left; C and F after ° lean to it.
 6. A full stop after a token that ends with a period (`U.S. .`) is not written, and not expected back.

Reported are, for each treebank: precision, recall and F1 of tokens (same first and last character), sentences with all tokens right, and the
most frequent differences. For sentence ends, ten sentences at a time are joined by blanks, and the nine ends between them are to be found:
once over all sentences, and once over those that end with . ? or ! (before closing marks), since titles and list items show no end.
--punkt names a directory with NLTK's data (tokenizers/punkt_tab); without it, NLTK's splitting of sentences is left out.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STYLES = {"gum": "new", "wsj": "old", "craft": "new"}
ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]", "\\/": "/", "\\*": "*"}
CLOSING = set(", . ; : ? ! ) ] } % ... … '' ” ’ ′ ° ™ ® ¢ ..".split())
OPENING = set("( [ { `` “ ‘ $ # £ € US$ C$ A$ HK$ NZ$ S$ ~ ∼ §".split())
CLITICS = re.compile(r"(n['’]t|['’](s|m|d|re|ve|ll))$", re.I)
FUSED = {("can", "not"), ("gon", "na"), ("got", "ta"), ("wan", "na"), ("y'", "all")}
NUM_JOINED = 10


def leaves(line):
    """The (tag, word) pairs of a tree on one line, without traces."""
    pairs = re.findall(r"\(([^\s()]+) ([^\s()]+)\s*\)", line)
    return [(tag, unescape(word)) for tag, word in pairs if tag != "-NONE-"]


def unescape(word):
    for name, sign in ESCAPES.items():
        word = word.replace(name, sign)
    return word


def leans_left(tag, word, previous, following):
    """Whether no blank stands before the token."""
    if tag in ("``", "-LRB-"):
        return False
    if tag in ("''", "POS", "HYPH") or CLITICS.match(word):
        return True
    if word == '"' or word == "'":
        return True
    if word in "-–/:" and tag == "SYM" or word == "—":
        return True
    if word == "+":
        return "/" in (previous[1], following[1]) or previous[0] == "CD"
    if word == "−":
        return previous[0] in ("NN", "NNS", "NNP", "CD", "SYM", "HYPH")
    return word in CLOSING


def leans_right(tag, word, following, second):
    """Whether no blank stands after the token."""
    if tag in ("''", "POS"):
        return False
    if tag in ("``", "-LRB-") or word in OPENING and tag != "SYM" or word in "~∼§#":
        return True
    if tag == "HYPH" or word in "-–/:" and tag == "SYM" or word == "—":
        return following[1] not in ("and", "or", "to") or second[0] == "HYPH"
    if word == "−":
        return following[0] == "CD" or following[1] == "/"
    if word == "+":
        return following[1] == "/"
    return word == "°" and following[1] in ("C", "F")


def written(tag, word):
    return {"``": '"', "''": '"', "`": "'"}.get(word, word)


def detokenise(pairs):
    """The text of a sentence and the spans of its tokens, in characters."""
    text, spans, glued = "", [], True
    none = ("", "")
    for index, (tag, word) in enumerate(pairs):
        previous = pairs[index - 1] if index else none
        following = pairs[index + 1] if index + 1 < len(pairs) else none
        if word == "." and text.endswith(".") and previous[1] != ".":
            continue
        fused = (previous[1].lower(), word.lower()) in FUSED
        if not (glued or fused or leans_left(tag, word, previous, following)):
            text += " "
        start = len(text)
        text += written(tag, word)
        spans.append((start, len(text)))
        second = pairs[index + 2] if index + 2 < len(pairs) else none
        glued = leans_right(tag, word, following, second)
    return text, spans


def read(corpus, part, data):
    with open(os.path.join(data, corpus, part + ".mrg"), encoding="utf-8") as file:
        sentences = [leaves(line) for line in file if line.strip()]
    return [detokenise(pairs) for pairs in sentences if pairs]


def character_offsets(text):
    """The character that starts at each byte."""
    offsets = {}
    count = 0
    for index, character in enumerate(text):
        offsets[count] = index
        count += len(character.encode())
    offsets[count] = len(text)
    return offsets


def boughs(program, text, style, *flags):
    """The sentences of a text, each a list of token spans in characters of the text."""
    command = [program, "tokenize", "--json", "--style", style, *flags]
    lines = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout.splitlines()
    place = character_offsets(text)
    tokens = ([(place[t["byte_start"]], place[t["byte_end"]]) for t in json.loads(line)["tokens"]] for line in lines)
    return list(tokens)


def boughs_lines(program, texts, style):
    spans = boughs(program, "\n".join(texts) + "\n", style, "--lines")
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + len(text) + 1)
    return [[(a - start, b - start) for a, b in line] for line, start in zip(spans, starts)]


def nltk_lines(tokenizer, texts):
    def spans(text):
        try:
            return list(tokenizer.span_tokenize(text))
        except ValueError:  # NLTK cannot align texts with some mixtures of quotation marks
            return []

    return [spans(text) for text in texts]


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


def f1(right, found, gold):
    return percent(2 * right, found + gold)


def report_tokens(name, texts, gold, found):
    right = sum(len(set(g) & set(f)) for g, f in zip(gold, found))
    num_gold, num_found = sum(map(len, gold)), sum(map(len, found))
    exact = sum(g == f for g, f in zip(gold, found))
    print(f"  {name:22} P {percent(right, num_found):6.2f}  R {percent(right, num_gold):6.2f}  "
          f"F1 {f1(right, num_found, num_gold):6.2f}  exact {percent(exact, len(texts)):6.2f}")


def differences(texts, gold, found, most):
    """The most frequent pairs of (tokens of the treebank, tokens found) over the same characters."""
    counts, examples = collections.Counter(), {}
    for text, g, f in zip(texts, gold, found):
        for start, end in disagreements(g, f):
            inside = lambda spans: " ".join(text[a:b] for a, b in spans if start <= a and b <= end)
            pair = (inside(g), inside(f))
            counts[pair] += 1
            examples[pair] = text[max(0, start - 20):end + 20]
    for (expected, got), count in counts.most_common(most):
        print(f"    {count:5}  treebank {expected!r}  boughs {got!r}   in {examples[expected, got]!r}")


def disagreements(gold, found):
    """The smallest stretches of text at whose ends both have a token end, and within which they differ."""
    edges_gold, edges_found = {b for _, b in gold}, {b for _, b in found}
    common = sorted(edges_gold & edges_found)
    start = 0
    for end in common:
        g = [s for s in gold if start <= s[0] and s[1] <= end]
        f = [s for s in found if start <= s[0] and s[1] <= end]
        if g != f:
            yield start, end
        start = end


def ends_with_stop(text):
    return re.search(r"[.?!…][\"'”’)\]]*$", text) is not None


def paragraphs(texts):
    """Texts of ten sentences, each with the ends that are to be found."""
    for at in range(0, len(texts), NUM_JOINED):
        group = texts[at:at + NUM_JOINED]
        ends, length = [], -1
        for text in group:
            length += len(text) + 1
            ends.append(length)
        yield " ".join(group), ends[:-1]


def inner_ends(text, spans):
    return {end for _, end in spans if text[end:].strip()}


def boughs_ends(program, texts, style):
    text = "\n\n".join(texts)
    spans = [(s[0][0], s[-1][1]) for s in boughs(program, text, style)]
    start, result = 0, []
    for paragraph in texts:
        own = [(a - start, b - start) for a, b in spans if start <= a < start + len(paragraph)]
        result.append(inner_ends(paragraph, own))
        start += len(paragraph) + 2
    return result


def report_ends(name, gold, found):
    right = sum(len(set(g) & f) for g, f in zip(gold, found))
    num_gold, num_found = sum(map(len, gold)), sum(map(len, found))
    print(f"  {name:22} P {percent(right, num_found):6.2f}  R {percent(right, num_gold):6.2f}  "
          f"F1 {f1(right, num_found, num_gold):6.2f}")


def wrong_ends(texts, gold, found, most):
    shown = 0
    for text, g, f in zip(texts, gold, found):
        for end in sorted(set(g) ^ f):
            if shown < most:
                kind = "missed" if end in g else "too many"
                print(f"    {kind:8} {text[max(0, end - 40):end]!r} | {text[end:end + 25]!r}")
                shown += 1


def compare_tokens(args, corpus, sentences):
    texts, gold = [text for text, _ in sentences], [spans for _, spans in sentences]
    style = STYLES[corpus]
    ours = boughs_lines(args.boughs, texts, style)
    report_tokens("boughs", texts, gold, ours)
    from nltk.tokenize import NLTKWordTokenizer, TreebankWordTokenizer
    for tokenizer in (NLTKWordTokenizer(), TreebankWordTokenizer()):
        report_tokens("NLTK " + type(tokenizer).__name__, texts, gold, nltk_lines(tokenizer, texts))
    if args.most:
        differences(texts, gold, ours, args.most)


def compare_ends(args, corpus, name, texts):
    pairs = list(paragraphs(texts))
    joined, gold = [text for text, _ in pairs], [ends for _, ends in pairs]
    print(f" sentence ends, {name}")
    ours = boughs_ends(args.boughs, joined, STYLES[corpus])
    report_ends("boughs", gold, ours)
    if args.punkt:
        from nltk.tokenize.punkt import PunktTokenizer
        punkt = PunktTokenizer("english")
        report_ends("NLTK Punkt", gold, [inner_ends(text, punkt.span_tokenize(text)) for text in joined])
    if args.most:
        wrong_ends(joined, gold, ours, args.most)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boughs", default=os.path.join(ROOT, "target/release/boughs"))
    parser.add_argument("--data", default=os.path.join(ROOT, "../shared/data"))
    parser.add_argument("--part", default="dev", help="dev or train")
    parser.add_argument("--punkt", help="directory of NLTK's data")
    parser.add_argument("--most", type=int, default=0, help="how many differences to list")
    parser.add_argument("corpora", nargs="*", default=list(STYLES))
    args = parser.parse_args()
    if args.punkt:
        import nltk
        nltk.data.path.insert(0, args.punkt)
    for corpus in args.corpora:
        sentences = read(corpus, args.part, args.data)
        print(f"{corpus} {args.part}: {len(sentences)} sentences")
        compare_tokens(args, corpus, sentences)
        texts = [text for text, _ in sentences]
        compare_ends(args, corpus, "all", texts)
        compare_ends(args, corpus, "with a stop", [text for text in texts if ends_with_stop(text)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
