(TOP (S (NP (PRP She)) (VP (VBD walked) (PRT (RB slowly)) (PP (IN to) (NP (NN school)))) (. .)))
(TOP (S (NP (PRP We)) (VP (VP (VBP eat) (NP (NN soup))) (PP (IN with) (NP (NN bread)))) (. .)))
(TOP (S (NP (NNS Owls)) (VP (VBP hunt)) (NN .)))
