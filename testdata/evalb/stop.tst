(TOP (NP (NN eins)))
(TOP (NP (NN zwei) (NN drei)))
(TOP (NP (NN vier)))
(TOP (NP (NN four)))
