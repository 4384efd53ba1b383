"""Parsing: texts, tokens, streams, threads, processes, interruptions."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import boughs
from conftest import TEXT

LINES = [
    "The shop sells umbrellas.",
    "A tall man in a grey coat waited for the last train to the coast.",
    "",
    "We know who wrote the letter that you found in the old house by the river.",
    "Go!",
]


def test_offsets_are_those_of_the_python_string(document: boughs.Document) -> None:
    encoded = TEXT.encode()
    assert document.text == TEXT
    phrases = 0
    for sentence in document:
        assert TEXT[sentence.start_char : sentence.end_char] == sentence.text
        assert encoded[sentence.start_byte : sentence.end_byte].decode() == sentence.text
        for part in [*sentence.tree.phrases, *sentence.tree.tokens]:
            text = part.text if isinstance(part, boughs.Phrase) else part.word
            assert TEXT[part.start_char : part.end_char] == text
            assert encoded[part.start_byte : part.end_byte].decode() == text
            phrases += 1
    assert phrases > 60


def test_phrases(parser: boughs.Parser) -> None:
    tree = parser("The old man sleeps in the garden.")[0].tree
    place = "(PP (IN in) (NP (DT the) (NN garden)))"
    assert str(tree) == f"(TOP (S (NP (DT The) (JJ old) (NN man)) (VP (VBZ sleeps) {place}) (. .)))"
    subject, garden = tree.find("NP")
    assert (subject.label, subject.text, subject.start, subject.end) == ("NP", "The old man", 0, 3)
    assert (subject.head.word, subject.head.tag, str(subject.head)) == ("man", "NN", "man")
    assert subject.parent is not None and subject.parent.label == "S"
    assert [str(child) for child in subject.children] == ["The", "old", "man"]
    assert garden.depth == 4 and garden.confidence is not None and 0 < garden.confidence <= 1
    assert str(garden.parent) == place
    assert garden.parent is not None and garden.parent.find("NP") == [garden]
    assert garden.subtree().text == "the garden" and len(subject) == 3


def test_tokens_and_tags(parser: boughs.Parser) -> None:
    free = parser.parse_tokens(["The", "shop", "sells", "umbrellas", "."])
    assert free.words == ["The", "shop", "sells", "umbrellas", "."] and free.text == "The shop sells umbrellas ."
    assert free.start_char is None and free.tree.phrases[0].start_byte is None
    tagged = parser.parse_tokens(["Fish", "fish"], ["NN", "VBP"])
    assert tagged.tags == ["NN", "VBP"]
    assert str(parser.parse_tokens([]).tree) == "()"
    with pytest.raises(boughs.ArgumentError, match="expected a tag for each of 2 words, found 1"):
        parser.parse_tokens(["a", "b"], ["DT"])
    with pytest.raises(boughs.ArgumentError, match="found one string"):
        parser.parse_tokens("The shop sells umbrellas.")


def test_constraints(parser: boughs.Parser) -> None:
    words = "The old man the boats".split()
    kept = parser.parse_tokens(words, phrases=[("NP", 0, 2), (None, 3, 5)])
    spans = {(phrase.label, phrase.start, phrase.end) for phrase in kept.tree.phrases}
    assert ("NP", 0, 2) in spans and kept.unmet is None
    with pytest.raises(boughs.ArgumentError, match="expected a phrase of words 0 to 5"):
        parser.parse_tokens(words, phrases=[("NP", 3, 6)])
    with pytest.raises(boughs.ArgumentError, match="XYZ"):
        parser.parse_tokens(words, root="XYZ")


def test_n_best(parser: boughs.Parser) -> None:
    sentence = parser("We saw the man with the telescope.", n_best=5)[0]
    assert len({str(tree) for tree in sentence.trees}) == len(sentence.trees) == 5
    scores = [score for score in sentence.scores if score is not None]
    assert len(scores) == 5 and scores == sorted(scores, reverse=True) and sentence.score == scores[0]
    assert sentence.tree == sentence.trees[0]
    with pytest.raises(boughs.ArgumentError, match="n_best of at least 1"):
        parser("a", n_best=0)


def test_any_number_of_threads_gives_the_same(parser: boughs.Parser) -> None:
    one, three = (parser(TEXT * 3, threads=threads) for threads in (1, 3))
    assert one == three
    streams = [list(parser.stream(LINES * 4, threads=threads, n_best=2)) for threads in (1, 3)]
    assert streams[0] == streams[1]
    assert [sentence.text for sentence in streams[0]] == [line for line in LINES * 4]


def test_streams_take_sentences_in_every_form(parser: boughs.Parser) -> None:
    given = ["The shop sells umbrellas.\n", ["The", "shop"], [("fish", "NN"), ("fish", "VBP")], "", []]
    sentences = list(parser.stream(given))
    assert [sentence.text for sentence in sentences] == ["The shop sells umbrellas.", "The shop", "fish fish", "", ""]
    assert sentences[2].tags == ["NN", "VBP"]
    documents = list(parser.pipe([TEXT, "", "Go!"]))
    assert [len(document) for document in documents] == [len(parser(TEXT)), 0, 1] and documents[0] == parser(TEXT)
    with pytest.raises(TypeError, match="found one string"):
        parser.stream("The shop sells umbrellas.")


@pytest.mark.parametrize(("kind", "most"), [("grammar", 2 * 2 * 32 + 2), ("parser", 2 * 2 * 32 * 16 + 2)])
def test_streams_are_lazy(kind: str, most: int, request: pytest.FixtureRequest) -> None:
    """A neural parser reads further ahead: it parses many sentences at once."""
    parser: boughs.Parser = request.getfixturevalue(kind)
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        for taken in itertools.count():
            yield f"The shop sells umbrella {taken}."

    stream = parser.stream(endless(), threads=2)
    for number in range(40):
        assert next(stream).words[4] == str(number)
    assert taken < 40 + most


def test_what_a_generator_raises_comes_after_what_it_gave(parser: boughs.Parser) -> None:
    def broken() -> Iterator[str]:
        yield from ["One tree.", "Two trees."]
        raise ZeroDivisionError("no third one")

    stream = parser.stream(broken())
    assert [next(stream).text, next(stream).text] == ["One tree.", "Two trees."]
    with pytest.raises(ZeroDivisionError, match="no third one"):
        next(stream)
    assert list(stream) == []


def test_an_item_that_is_no_text_raises_in_its_place(parser: boughs.Parser) -> None:
    stream = parser.stream(["Fine.", "not \ud800 text", "Fine again."])
    assert next(stream).text == "Fine."
    with pytest.raises(boughs.EncodingError, match="lone surrogate at character 4") as caught:
        next(stream)
    assert caught.value.tree == 2 and "errors=" in (caught.value.hint or "")
    assert [sentence.text for sentence in stream] == ["Fine again."]


def test_odd_strings(parser: boughs.Parser) -> None:
    for text in ["😀", "a\0b.", "\0", "\ufeffYes.", "\u200d", "(", "\\", "‮abc", "\r\n\r\n", "𝕬 b"]:
        for sentence in parser(text):
            assert text[sentence.start_char : sentence.end_char] == sentence.text
            assert boughs.Tree(str(sentence.tree)).words == sentence.words
    with pytest.raises(boughs.EncodingError):
        parser("\ud83d")
    assert len(parser("")) == 0


def test_ten_megabytes_in_one_line(grammar: boughs.Parser) -> None:
    """A neural parser tags them by its network, which takes minutes."""
    long = "word " * 2_000_000
    sentence = next(grammar.stream([long]))
    assert sentence.status == "too-long" and sentence.is_fallback and len(sentence) == 2_000_000


def test_what_line_breaks_mean(parser: boughs.Parser) -> None:
    text = "The old man\nsleeps in the garden."
    counts = {unit: len(parser(text, unit=unit)) for unit in ("wrapped", "paragraphs", "lines")}
    assert counts == {"wrapped": 1, "paragraphs": 2, "lines": 2}
    assert [len(document) for document in parser.pipe([text], unit="lines")] == [2]
    with pytest.raises(boughs.ArgumentError, match="there is no unit `page`"):
        parser(text, unit="page")


def test_options(parser: boughs.Parser, grammar: boughs.Parser) -> None:
    short = parser.with_options(max_length=3)
    assert short.options["max_length"] == 3 and parser.options["max_length"] != 3
    assert short("The shop sells umbrellas.")[0].status == "in-parts"
    assert boughs.load("@english", timeout=2.5).options["timeout"] == 2.5
    for wrong, message in [
        ({"max_lenght": 3}, "there is no option `max_lenght`"),
        ({"max_length": 0}, "max_length: expected a whole number of at least 1, found 0"),
        ({"timeout": "soon"}, "timeout: expected a number of seconds"),
        ({"decoder": "viterbi"}, "there is no option `decoder` of this parser"),
    ]:
        with pytest.raises(boughs.ArgumentError, match=message):
            parser.with_options(**wrong)
    with pytest.raises(boughs.ArgumentError, match="expected one of `max-rule`"):
        grammar.with_options(decoder="none")


def test_models_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(boughs.FileError, match="nowhere.model") as caught:
        boughs.load("nowhere.model")
    assert caught.value.file == "nowhere.model" and isinstance(caught.value, OSError)
    wrong = tmp_path / "wrong.model"
    wrong.write_text("no model")
    with pytest.raises(boughs.Error) as other:
        boughs.load(wrong)
    assert other.value.file == str(wrong)
    again = pickle.loads(pickle.dumps(other.value))
    assert type(again) is type(other.value) and again.file == other.value.file and str(again) == str(other.value)


def test_everything_pickles(parser: boughs.Parser, document: boughs.Document, tmp_path: Path) -> None:
    for whole in [document, document[0], document[1].tree, document[1].tree.phrases[2], document[1].tree.tokens[3]]:
        assert pickle.loads(pickle.dumps(whole)) == whole
    tree = pickle.loads(pickle.dumps(document[1].tree))
    phrases = list(zip(tree.phrases, document[1].tree.phrases))
    assert all((a.text, a.start_char, a.confidence) == (b.text, b.start_char, b.confidence) for a, b in phrases)
    assert len(pickle.dumps(parser)) < 2000
    parser.save(tmp_path / "own.model")
    own = pickle.loads(pickle.dumps(boughs.load(tmp_path / "own.model", max_length=40)))
    assert own.options["max_length"] == 40 and own("Go!") == parser("Go!")


def _brackets(parser_and_text: tuple[boughs.Parser, str]) -> list[str]:
    return [str(sentence.tree) for sentence in parser_and_text[0](parser_and_text[1])]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(parser: boughs.Parser, method: str) -> None:
    expected = _brackets((parser, TEXT))
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert list(pool.map(_brackets, [(parser, TEXT)] * 3)) == [expected] * 3


def test_a_fork_amid_work(parser: boughs.Parser) -> None:
    stream = parser.stream((LINES * 50), threads=2)
    next(stream)
    child = os.fork()
    if child == 0:
        try:
            next(itertools.islice(stream, 250, None), None)
        except RuntimeError:
            os._exit(0 if len(parser("Go!")) == 1 else 3)
        os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(list(stream)) == len(LINES) * 50 - 1


def test_other_threads_go_on(parser: boughs.Parser) -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    clock = threading.Thread(target=tick)
    clock.start()
    parser(TEXT * 10, threads=1)
    done.set()
    clock.join()
    assert ticks > 20


def test_interruptions_are_quick(tmp_path: Path) -> None:
    program = (
        "import boughs, sys\n"
        "parser = boughs.load()\n"
        "parser('Go!')\n"
        "print('ready', flush=True)\n"
        "parser('The man who sold the shop that the town had built in the old days left. ' * 100000)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    time.sleep(1)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors and time.monotonic() - start < 1.5


def test_the_command(tmp_path: Path) -> None:
    command = str(Path(sys.executable).with_name("boughs"))
    run = subprocess.run([command, "parse", "-q"], input="Go home.", capture_output=True, text=True, check=True)
    assert run.stdout == f"{boughs.load()('Go home.')[0].tree}\n"
    assert subprocess.run([command, "parse", "nowhere.txt"], capture_output=True).returncode == 2
    assert subprocess.run([sys.executable, "-m", "boughs", "--version"], capture_output=True).returncode == 0
