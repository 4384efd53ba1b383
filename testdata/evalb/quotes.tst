(S1 (S (NP (PRP We)) (VP (VBD sang) (NP (`` ') (NNS carols) (POS '))) (. !)))
(S1 (NP (NP (NNS dogs)) ('' ') (NNS bones)))
