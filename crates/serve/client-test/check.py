"""Clients written for CoreNLP's server, unchanged, against `boughs serve`.

    python check.py ADDRESS
"""

import json
import sys

from nltk.parse.corenlp import CoreNLPParser
from pycorenlp import StanfordCoreNLP as PyCoreNLP
from stanfordcorenlp import StanfordCoreNLP

DOG = "(ROOT (S (NP (DT The) (NN dog)) (VP (VBZ sleeps)) (. .)))"
IT = "(ROOT (S (NP (PRP It)) (VP (VBZ barks)) (. .)))"


def line(tree) -> str:
    return " ".join(str(tree).split())


def check_nltk(url: str) -> None:
    parser = CoreNLPParser(url=url, tagtype="pos")
    assert line(next(parser.raw_parse("The dog sleeps."))) == DOG
    assert line(next(parser.parse("The dog sleeps .".split()))) == DOG
    trees = [line(next(trees)) for trees in parser.raw_parse_sents(["The dog sleeps.", "It barks."])]
    assert trees == [DOG, IT], trees
    trees = [line(next(trees)) for trees in parser.parse_sents([["The", "dog", "sleeps", "."], ["It", "barks", "."]])]
    assert trees == [DOG, IT], trees
    assert [line(tree) for tree in parser.parse_text("The dog sleeps. It barks.")] == [DOG, IT]
    words = list(parser.tokenize("Oaks can't cost $3.50 (each). Can they?"))
    assert words == ["Oaks", "ca", "n't", "cost", "$", "3.50", "(", "each", ")", ".", "Can", "they", "?"], words
    assert parser.tag("The dog can't.don't sleep .".split())[2][0] == "can't.don't"
    assert parser.tag("The dog can sleep .".split()) == [
        ("The", "DT"),
        ("dog", "NN"),
        ("can", "MD"),
        ("sleep", "VB"),
        (".", "."),
    ]


def check_pycorenlp(url: str) -> None:
    client = PyCoreNLP(url)
    wanted = {"annotators": "tokenize,ssplit,pos,parse", "outputFormat": "json"}
    answer = client.annotate("The dog sleeps. It barks.", properties=wanted)
    # It gives text where its own reading of JSON fails, which it does with Python 3.9 and later.
    answer = json.loads(answer) if isinstance(answer, str) else answer
    assert [line(sentence["parse"]) for sentence in answer["sentences"]] == [DOG, IT], answer
    token = answer["sentences"][1]["tokens"][0]
    assert (token["originalText"], token["characterOffsetBegin"], token["characterOffsetEnd"]) == ("It", 16, 18)
    assert "`ner`" in client.annotate("x", properties={"annotators": "ner", "outputFormat": "json"})


def check_stanfordcorenlp(url: str) -> None:
    host, port = url.rsplit(":", 1)
    client = StanfordCoreNLP(host, port=int(port))
    assert client.word_tokenize("It doesn't bark.") == ["It", "does", "n't", "bark", "."]
    assert client.pos_tag("It barks.")[0] == ("It", "PRP")
    assert line(client.parse("The dog sleeps.")) == DOG


if __name__ == "__main__":
    for check in [check_nltk, check_pycorenlp, check_stanfordcorenlp]:
        check(sys.argv[1])
        print(f"ok  {check.__name__}", file=sys.stderr)
