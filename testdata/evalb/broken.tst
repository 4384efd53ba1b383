(TOP (NP (NN one)))
(TOP (NP (NN two)))))
(TOP (NP (NN three and a bit)))
(TOP (NP (NN four)))
