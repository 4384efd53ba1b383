//! Objectives with known minima.

use boughs_learn::rng::Rng;

/// Rosenbrock's valley in pairs of parameters; the minimum is 0 at all ones.
pub fn rosenbrock(point: &[f64], gradient: &mut [f64]) -> f64 {
    let mut value = 0.0;
    for i in (0..point.len()).step_by(2) {
        let (a, b) = (1.0 - point[i], 10.0 * (point[i + 1] - point[i] * point[i]));
        gradient[i + 1] = 20.0 * b;
        gradient[i] = -2.0 * (point[i] * gradient[i + 1] + a);
        value += a * a + b * b;
    }
    value
}

/// The start from which Rosenbrock's valley is usually descended.
pub fn rosenbrock_start(len: usize) -> Vec<f64> {
    (0..len).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect()
}

/// Σ ½·curvature·(x − centre)².
pub struct Bowl {
    pub curvatures: Vec<f64>,
    pub centre: Vec<f64>,
}

impl Bowl {
    /// Curvatures from 1 to `condition`, evenly on a logarithmic scale.
    pub fn new(len: usize, condition: f64, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let curvatures = (0..len).map(|i| condition.powf(i as f64 / (len - 1) as f64)).collect();
        Self { curvatures, centre: (0..len).map(|_| 4.0 * rng.unit() - 2.0).collect() }
    }

    pub fn evaluate(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (i, x) in point.iter().enumerate() {
            gradient[i] = self.curvatures[i] * (x - self.centre[i]);
            value += 0.5 * gradient[i] * (x - self.centre[i]);
        }
        value
    }
}

/// Dense logistic regression with an L2 penalty: rows of numbers with labels ±1.
pub struct Dense {
    rows: Vec<Vec<f64>>,
    labels: Vec<f64>,
    l2: f64,
}

impl Dense {
    /// Correlated columns, labels drawn from a random model.
    pub fn new(num_rows: usize, num_columns: usize, l2: f64, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let truth: Vec<f64> = (0..num_columns).map(|_| 2.0 * rng.unit() - 1.0).collect();
        let mut rows = Vec::new();
        let mut labels = Vec::new();
        for _ in 0..num_rows {
            let shared = rng.unit();
            let row: Vec<f64> = (0..num_columns).map(|_| shared + rng.unit() - 1.0).collect();
            let score: f64 = row.iter().zip(&truth).map(|(x, w)| x * w).sum();
            labels.push(if rng.unit() < 1.0 / (1.0 + (-3.0 * score).exp()) { 1.0 } else { -1.0 });
            rows.push(row);
        }
        Self { rows, labels, l2 }
    }

    pub fn evaluate(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (g, x) in gradient.iter_mut().zip(point) {
            *g = self.l2 * x;
            value += 0.5 * self.l2 * x * x;
        }
        for (row, label) in self.rows.iter().zip(&self.labels) {
            let margin: f64 = label * row.iter().zip(point).map(|(x, w)| x * w).sum::<f64>();
            value += (-margin).exp().ln_1p();
            let pull = -label / (1.0 + margin.exp());
            gradient.iter_mut().zip(row).for_each(|(g, x)| *g += pull * x);
        }
        value
    }
}
