"""boughs in spaCy pipelines."""

from __future__ import annotations

import pickle

import pytest
import spacy
from spacy.tokens import Doc

import boughs
from boughs.spacy import NonConstituentException

TEXT = "The man sleeps in the garden. He doesn't snore (much).\n\n  She sleeps."


@pytest.fixture(scope="module")
def nlp() -> spacy.language.Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("boughs")
    return nlp


def test_names_of_benepar(nlp: spacy.language.Language) -> None:
    first, second, third = nlp(TEXT).sents
    assert first._.parse_string == "(S (NP (DT The) (NN man)) (VP (VBZ sleeps) (PP (IN in) (NP (DT the) (NN garden)))) (. .))"
    assert first._.labels == ("S",) and first._.parent is None
    subject, predicate, stop = first._.children
    assert (subject.text, subject._.labels, subject._.parse_string) == ("The man", ("NP",), "(NP (DT The) (NN man))")
    assert subject._.parent == first and 0 < subject._.confidence <= 1
    assert stop._.labels == () and stop._.parse_string == "(. .)"
    texts = [span.text for span in predicate._.constituents]
    assert texts == ["sleeps in the garden", "sleeps", "in the garden", "in", "the garden", "the", "garden"]
    assert "-LRB-" in second._.parse_string and second.text.startswith("He doesn't snore")
    assert boughs.Tree(second._.parse_string).words == [token.text for token in second if not token.is_space]
    assert third.text.strip() == "She sleeps." and third._.parse_string == "(S (NP (PRP She)) (VP (VBZ sleeps)) (. .))"


def test_tokens_have_them_too(nlp: spacy.language.Language) -> None:
    doc = nlp("He sleeps.")
    assert doc[0]._.labels == ("NP",) and doc[0]._.parse_string == "(NP (PRP He))"
    assert doc[0]._.parent.text == "He sleeps." and doc[2]._.labels == ()
    with pytest.raises(NonConstituentException, match="not a constituent"):
        doc[1:3]._.labels


def test_documents_survive(nlp: spacy.language.Language) -> None:
    doc = nlp(TEXT)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert [sent._.parse_string for sent in again.sents] == [sent._.parse_string for sent in doc.sents]
    assert pickle.loads(pickle.dumps(doc))._._constituent_data == doc._._constituent_data


def test_batches_give_the_same(nlp: spacy.language.Language) -> None:
    texts = [TEXT, "", "   ", "Go!", TEXT, "\n"]
    docs = list(nlp.pipe(texts, batch_size=2))
    assert [doc.text for doc in docs] == texts
    assert [doc._._constituent_data for doc in docs] == [nlp(text)._._constituent_data for text in texts]
    assert next(docs[3].sents)._.parse_string.endswith("(. !))")


def test_other_pipes_decide_about_sentences_and_tags() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": [";"]})
    nlp.add_pipe("boughs", config={"threads": 1})
    doc = nlp("We sleep. They snore; he dreams.")
    assert [sent.text for sent in doc.sents] == ["We sleep. They snore;", "he dreams."]
    assert all(sent._.parse_string for sent in doc.sents) and {token.tag_ for token in doc} == {""}
    tagging = spacy.blank("en")
    tagging.add_pipe("boughs", config={"set_tags": True})
    assert [token.tag_ for token in tagging("He  sleeps.")] == ["PRP", "_SP", "VBZ", "."]


def test_given_tags_are_used_if_asked() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("boughs", config={"use_tags": True})
    doc = Doc(nlp.vocab, ["fish", "fish"], tags=["NN", "VBP"], sent_starts=[True, False])
    sent = next(nlp.get_pipe("boughs")(doc).sents)
    assert "(NN fish)" in sent._.parse_string and "(VBP fish)" in sent._.parse_string


def test_without_the_component() -> None:
    doc = spacy.blank("en")("He sleeps.")
    with pytest.raises(boughs.ArgumentError, match="without"):
        doc[0:1]._.labels


def test_other_processes_and_disks(nlp: spacy.language.Language, tmp_path: object) -> None:
    nlp.to_disk(str(tmp_path))
    again = spacy.load(str(tmp_path))
    assert [sent._.parse_string for sent in again(TEXT).sents] == [sent._.parse_string for sent in nlp(TEXT).sents]
    docs = list(nlp.pipe([TEXT, "Go!"], n_process=2))
    assert [doc._._constituent_data for doc in docs] == [nlp(text)._._constituent_data for text in (TEXT, "Go!")]
