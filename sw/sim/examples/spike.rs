use portico_sim::*;
use std::time::Instant;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut s = Source::new("mesh", std::fs::read_to_string(path).unwrap()).input("clk", 1).input("rst", 1);
    for t in 0..n {
        s = s
            .input(&format!("in{t}_data"), 32)
            .input(&format!("in{t}_last"), 1)
            .input(&format!("in{t}_valid"), 1)
            .output(&format!("in{t}_ready"), 1)
            .output(&format!("out{t}_data"), 32)
            .output(&format!("out{t}_last"), 1)
            .output(&format!("out{t}_valid"), 1)
            .input(&format!("out{t}_ready"), 1);
    }
    let start = Instant::now();
    let trace = if std::env::var("TRACE").is_ok() { Trace::Vcd } else { Trace::None };
    let lib = build(s, &Options { lint: false, trace, ..Options::default() }).unwrap();
    let built = start.elapsed();
    let mut m = lib.model();
    let p: Vec<_> = (0..n)
        .map(|t| {
            (
                m.input(&format!("in{t}_data")).unwrap(),
                m.input(&format!("in{t}_last")).unwrap(),
                m.input(&format!("in{t}_valid")).unwrap(),
                m.output(&format!("in{t}_ready")).unwrap(),
                m.input(&format!("out{t}_ready")).unwrap(),
                m.output(&format!("out{t}_valid")).unwrap(),
                m.output(&format!("out{t}_data")).unwrap(),
            )
        })
        .collect();
    for q in &p {
        m.set(q.4, 1);
    }
    m.reset(2);
    let mut x = 0x1234_5678_9abc_def1u64;
    let mut left = vec![0u32; n];
    let mut dst = vec![0u64; n];
    let mut got = 0u64;
    let mut sum = 0u64;
    let cycles = std::env::args().nth(3).map_or(100_000, |c| c.parse().unwrap());
    let start = Instant::now();
    for _ in 0..cycles {
        for t in 0..n {
            if left[t] == 0 {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                if x % 1000 < 75 {
                    left[t] = 4;
                    dst[t] = (x >> 32) & 0x77;
                }
            }
            m.set(p[t].2, (left[t] > 0) as u64);
            m.set(p[t].1, (left[t] == 1) as u64);
            m.set(p[t].0, dst[t] | (x & 0xffff_ff00));
        }
        m.tick();
        for t in 0..n {
            if left[t] > 0 && m.get(p[t].3) == 1 {
                left[t] -= 1;
            }
            if m.get(p[t].5) == 1 {
                got += 1;
                sum = sum.wrapping_mul(31).wrapping_add(m.get(p[t].6));
            }
        }
    }
    let e = start.elapsed();
    println!(
        "built {:.1}s cached={} {:.0} cycles/s rate {:.3} sum {sum:x}",
        built.as_secs_f64(),
        lib.cached(),
        cycles as f64 / e.as_secs_f64(),
        got as f64 / cycles as f64 / n as f64
    );
}
