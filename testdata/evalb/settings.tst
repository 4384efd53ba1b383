(S (B (X color)) (C (X fades)) (PUNCT .))
(S (C (X one)) (A (X two)) (A (X three)) (B (X four)))
