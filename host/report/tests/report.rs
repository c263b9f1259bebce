//! The report of a study: what is on the page, and that a browser is content with
//! it.

mod samples;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ruche_report::{Clock, Sample, Taken, Transport};
use ruche_runtime::strategy::Strategy;
use ruche_shared::wire::control::Mode;
use samples::{measured, plain, study};

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder of tests can be written to");
    folder
}

/// The values of an attribute, in the order of the page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    let rest = page.split(start.as_str()).skip(1);
    rest.filter_map(|rest| rest.split('"').next()).collect()
}

fn with_machine(clusters: u32, threads: u32, playouts_per_second: f64) -> Sample {
    let mut sample = Sample { playouts_per_second, ..plain() };
    (sample.point.clusters, sample.point.threads) = (clusters, threads);
    sample
}

#[test]
fn a_study_without_samples_says_so() {
    let page = ruche_report::render("Not yet", &[]);
    assert!(page.contains("Nothing was measured yet"));
    assert!(!page.contains("<figure"));
}

#[test]
fn the_page_has_every_section_that_samples_can_fill() {
    let page = ruche_report::render("A study", &study());
    for id in ["summary", "scaling", "efficiency", "strategies", "time", "messages"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id} is missing");
    }
}

#[test]
fn one_sample_has_only_a_bar_of_its_time() {
    let page = ruche_report::render("One", &[plain()]);
    assert_eq!(page.matches("<figure").count(), 1);
    assert!(page.contains("id=\"time\""));
}

#[test]
fn samples_in_another_order_give_the_same_bytes() {
    let mut samples = study();
    samples.extend(measured());
    let page = ruche_report::render("A study", &samples);
    samples.reverse();
    assert_eq!(page, ruche_report::render("A study", &samples));
    samples.rotate_left(101);
    assert_eq!(page, ruche_report::render("A study", &samples));
}

#[test]
fn names_from_samples_cannot_become_markup() {
    let evil = "</title><script>alert(1)</script>\" onload='x'";
    let mut sample = plain();
    sample.point.game = evil.to_owned();
    sample.machine = evil.to_owned();
    sample.plan = evil.to_owned();
    sample.invocation = evil.to_owned();
    let mut other = sample.clone();
    other.point.threads = 2;
    other.version = evil.to_owned();
    let page = ruche_report::render(evil, &[sample, other]);
    assert_eq!(page.matches("<script").count(), 1, "only ours");
    assert!(!page.contains("onload='x'") && !page.contains("\" onload"));
}

#[test]
fn speed_ups_are_relative_to_the_fewest_cores_of_the_same_settings() {
    let mut samples = vec![with_machine(1, 2, 200.0), with_machine(1, 4, 300.0)];
    samples.extend(samples.clone().into_iter().map(|mut sample| {
        sample.point.strategy = Strategy::Restart;
        Sample { playouts_per_second: sample.playouts_per_second * 10.0, ..sample }
    }));
    let page = ruche_report::render("Speed-up", &samples);
    let speed_up = page.split("<figure").find(|figure| figure.contains("Speed-up over")).unwrap();
    assert_eq!(attributes(speed_up, "data-y"), ["1", "1.5", "1", "1.5"]);
    assert!(speed_up.contains("Relative to 2 cores."));
}

#[test]
fn a_batch_that_grows_with_the_machine_is_no_curve_of_its_own() {
    let grown = [1, 2, 4].map(|threads| {
        let mut sample = with_machine(1, threads, 100.0 * f64::from(threads));
        sample.point.batch = 64 * threads;
        sample
    });
    let page = ruche_report::render("Weak scaling", &grown);
    let chart = page.split("<figure").nth(1).unwrap();
    assert_eq!(chart.matches("class=\"curve ").count(), 1);
}

#[test]
fn repetitions_become_a_median_with_whiskers() {
    let samples: Vec<Sample> = [(1, 90.0), (1, 110.0), (1, 101.5), (2, 200.0)]
        .into_iter()
        .map(|(threads, rate)| with_machine(1, threads, rate))
        .collect();
    let page = ruche_report::render("Medians", &samples);
    let chart = page.split("<figure").nth(1).unwrap();
    assert_eq!(attributes(chart, "data-y"), ["101.5", "200"]);
    assert_eq!(attributes(chart, "data-min"), ["90", "200"]);
    assert_eq!(attributes(chart, "data-max"), ["110", "200"]);
    assert_eq!(chart.matches("class=\"whisker\"").count(), 1);
}

#[test]
fn measured_and_modelled_samples_are_never_in_one_curve() {
    let mut samples = vec![with_machine(1, 1, 100.0), with_machine(1, 2, 190.0)];
    samples.push(Sample { clock: Clock::Model, machine: "M".into(), ..with_machine(1, 4, 400.0) });
    samples.push(Sample { clock: Clock::Model, machine: "M".into(), ..with_machine(1, 8, 700.0) });
    let page = ruche_report::render("Both", &samples);
    let chart = page.split("<figure").nth(1).unwrap();
    let names = ["measured on Intel Xeon 8375C, 2.9 GHz", "modelled: M"];
    assert_eq!(attributes(chart, "data-for"), names);
    assert_eq!(chart.matches("class=\"curve ").count(), 2);
    assert!(chart.contains("Hollow marks are modelled"));
}

#[test]
fn ranks_and_threads_of_one_machine_are_never_in_one_curve() {
    let of = |transport| measured().into_iter().map(move |sample| Sample { transport, ..sample });
    let mixed: Vec<Sample> = of(Transport::Inproc).chain(of(Transport::Mpi)).collect();
    let page = ruche_report::render("Mixed", &mixed);
    let chart = page.split("<figure").nth(1).unwrap();
    assert_eq!(attributes(chart, "data-for"), ["inproc", "mpi"]);
    assert_eq!(chart.matches("class=\"curve ").count(), 2);
}

#[test]
fn results_that_differ_between_repetitions_are_not_passed_over() {
    let other = Sample { repetition: 1, signature: "other".to_owned(), ..plain() };
    let page = ruche_report::render("Wrong", &[plain(), other]);
    assert!(page.contains("The results of 1 setting differ"));
    assert!(!ruche_report::render("Right", &[plain(), plain()]).contains("differ between"));
}

#[test]
fn figures_that_are_no_numbers_have_no_place() {
    let rates = [f64::NAN, f64::INFINITY, 0.0, 100.0, 150.0];
    let samples: Vec<Sample> =
        (1..).zip(rates).map(|(threads, rate)| with_machine(1, threads, rate)).collect();
    let page = ruche_report::render("Odd", &samples);
    let chart = page.split("<figure").nth(1).unwrap();
    assert_eq!(attributes(chart, "data-y"), ["100", "150"]);
    assert!(!page.contains("NaN") && !page.contains("=\"inf"));
}

#[test]
fn curves_over_message_size_are_named_by_clusters_and_threads() {
    let page = ruche_report::render("Messages", &study());
    let messages = page.split("id=\"messages\"").nth(1).unwrap();
    let names = ["1 cluster · 1 thread", "4 clusters · 4 threads", "16 clusters · 16 threads"];
    assert_eq!(attributes(messages, "data-for"), names);
}

#[test]
fn a_size_that_is_swept_has_a_section_of_its_own() {
    let samples = [1, 2, 4].map(|in_flight| {
        let mut sample = with_machine(4, 4, 100.0 * f64::from(in_flight));
        sample.point.in_flight = in_flight;
        sample
    });
    let page = ruche_report::render("In flight", &samples);
    let section = page.split("id=\"runs-in-flight\"").nth(1).unwrap();
    assert_eq!(attributes(section, "data-x"), ["1", "2", "4"]);
    assert_eq!(attributes(section, "data-y"), ["100", "200", "400"]);
}

#[test]
fn names_are_compared_where_nothing_else_varies() {
    let samples = [Mode::PerCore, Mode::Split].map(|mode| {
        let mut sample = plain();
        sample.point.mode = mode;
        sample
    });
    let page = ruche_report::render("Modes", &samples);
    let section = page.split("id=\"mode\"").nth(1).unwrap();
    assert_eq!(attributes(section, "data-x")[..2], ["per-core", "split"]);
}

#[test]
fn the_page_is_written_beside_the_results() {
    let folder = folder("written");
    let path = ruche_report::write(&folder, "A study", &measured()).unwrap();
    assert_eq!(path, folder.join("report.html"));
    let page = fs::read_to_string(path).unwrap();
    assert_eq!(page, ruche_report::render("A study", &measured()));
    assert!(page.contains("href=\"results.csv\""));
}

/// Opens a page as `toolchain/page` does, and prints its document after the
/// scripts have run. `None` without a browser.
fn open(folder: &Path, page: &Path) -> Option<Output> {
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args([
            "--enable-logging=stderr",
            "--virtual-time-budget=5000",
            "--hide-scrollbars",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.join("browser").display()))
        .arg(format!("file://{}", page.display()))
        .output();
    match output {
        Ok(output) => Some(output),
        Err(error) => {
            println!("skipped: chromium cannot be started ({error}); toolchain/page installs it");
            None
        }
    }
}

/// The document that a browser made of a page, which it had nothing to say about.
fn document(folder: &Path, page: &Path) -> Option<String> {
    let output = open(folder, page)?;
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    let complaints: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert_eq!(complaints, [""; 0]);
    Some(String::from_utf8(output.stdout).expect("documents are UTF-8"))
}

#[test]
fn a_browser_shows_every_sample_with_its_value() {
    let folder = folder("browser");
    let mut samples = study();
    samples.extend(measured());
    let path = ruche_report::write(&folder, "Scaling of four strategies", &samples).unwrap();
    let Some(document) = document(&folder, &path) else { return };
    assert!(document.contains("data-words="), "the script has run");
    for (name, point) in points(&samples) {
        assert!(document.contains(&point), "{point} of {name} is missing");
    }
}

/// What must be on the page for each sample, as it is written there: time over
/// bytes, or playouts per second over cores, and the shares of the time.
fn points(samples: &[Sample]) -> Vec<(&str, String)> {
    let modelled = samples.iter().filter(|sample| sample.clock == Clock::Model);
    let points = modelled.flat_map(|sample| {
        let (point, shares) = (&sample.point, &sample.shares);
        let place = match point.game.as_str() {
            "empty" => (point.bytes, sample.run_seconds),
            _ => (point.clusters * point.threads, sample.playouts_per_second),
        };
        let figure = format!("data-x=\"{}\" data-y=\"{}\"", place.0, place.1);
        let share = format!("data-y=\"{}\" data-series=\"transfer\"", shares.transfer);
        [figure, share].map(|text| (sample.invocation.as_str(), text))
    });
    points.chain(medians(samples)).collect()
}

/// The points of what was measured several times.
fn medians(samples: &[Sample]) -> Vec<(&str, String)> {
    let of = |threads| {
        let same =
            |sample: &&Sample| sample.clock == Clock::Wall && sample.point.threads == threads;
        let mut rates: Vec<f64> =
            samples.iter().filter(same).map(|sample| sample.playouts_per_second).collect();
        rates.sort_by(f64::total_cmp);
        rates
    };
    let text = |threads| match of(threads)[..] {
        [least, median, most] => format!(
            "data-x=\"{threads}\" data-y=\"{median}\" data-min=\"{least}\" data-max=\"{most}\""
        ),
        _ => panic!("each is measured three times"),
    };
    [1, 2, 3, 4].map(|threads| ("what was measured", text(threads))).to_vec()
}

#[test]
fn nothing_is_wider_than_a_phone() {
    for (name, samples) in [("phone", study()), ("phone-measured", measured())] {
        let folder = folder(name);
        let title = "Scaling with a title that has to be broken into several lines";
        let page = ruche_report::render(title, &samples);
        let path = folder.join("phone.html");
        fs::write(&path, on_phone(&page)).unwrap();
        let Some(document) = document(&folder, &path) else { return };
        let widths = attributes(&document, "data-widths");
        assert_eq!(widths, ["360 360 "], "the page is 360 wide, and nothing reaches further");
    }
}

#[test]
fn arrow_keys_go_from_point_to_point() {
    let folder = folder("keys");
    let press = r#"
        <script>
        const points = document.querySelectorAll("figure:first-of-type .datum");
        points[0].focus();
        points[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
        document.body.dataset.focused = document.activeElement.dataset.x;
        document.body.dataset.shown = document.getElementById("tip").textContent.split("\n")[0];
        </script></body>"#;
    let page = ruche_report::render("Keys", &measured()).replace("</body>", press);
    let path = folder.join("keys.html");
    fs::write(&path, page).unwrap();
    let Some(document) = document(&folder, &path) else { return };
    assert_eq!(attributes(&document, "data-focused"), ["2"]);
    assert_eq!(attributes(&document, "data-shown"), ["2 cores"]);
}

/// A page that shows another one in a frame of 360 pixels with every fold open,
/// and notes how wide that is and what of it is cut off.
fn on_phone(page: &str) -> String {
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    let script = r#"
        const frame = document.querySelector("iframe");
        const measure = () => {
            const inner = frame.contentDocument;
            inner.querySelectorAll("details").forEach((details) => { details.open = true; });
            const root = inner.documentElement;
            const boxes = inner.querySelectorAll("main *:not(svg *):not(.scroll *):not(pre *), svg text");
            const wide = [...boxes].filter((box) => {
                const { left, right } = box.getBoundingClientRect();
                return !box.closest(".scroll, pre") && (left < -0.5 || right > 360.5);
            });
            const names = wide.map((box) => `${box.tagName}.${box.getAttribute("class")}:${box.textContent.slice(0, 30)}`);
            document.documentElement.dataset.widths =
                `${root.clientWidth} ${root.scrollWidth} ${names.join("; ")}`;
        };
        frame.addEventListener("load", measure);
    "#;
    format!(
        "<!doctype html><meta charset=utf-8><style>iframe {{ width: 360px; height: 800px; border: 0 }}</style>\
        <iframe srcdoc=\"{escaped}\"></iframe><script>{script}</script>"
    )
}

/// A sample of a machine that runs two threads at a time.
fn on_two_processors(threads: u32, playouts_per_second: f64) -> Sample {
    let taken = Taken {
        date: "2026-11-18T04:30:00Z".to_owned(),
        host: "bench".to_owned(),
        commit: "0123abcd".to_owned(),
        processors: Some(2),
        cpu_seconds: Some(1.0),
    };
    Sample { taken: Some(taken), ..with_machine(1, threads, playouts_per_second) }
}

#[test]
fn headline_figures_are_those_of_each_game() {
    let of = |game: &str, rate: f64| {
        let mut sample = with_machine(1, 1, rate);
        sample.point.game = game.to_owned();
        sample
    };
    let samples = [of("hex", 100.0), of("nim", 90_000.0), of("empty", 0.0)];
    let page = ruche_report::render("Games", &samples);
    let summary = page.split("class=\"figures\"").nth(1).unwrap().split("</dl>").next().unwrap();
    assert_eq!(summary.matches("Best, measured").count(), 2, "{summary}");
    assert!(summary.contains("hex") && summary.contains("nim") && !summary.contains("empty"));
}

#[test]
fn points_with_more_threads_than_processors_and_noisy_ones_are_marked() {
    let samples = [
        on_two_processors(1, 100.0),
        on_two_processors(2, 190.0),
        Sample { repetition: 1, ..on_two_processors(2, 150.0) },
        on_two_processors(4, 200.0),
    ];
    let page = ruche_report::render("Doubts", &samples);
    let chart = page.split("<figure").nth(1).unwrap();
    let doubts = ["repetitions differ by over 20 %", "more threads than processors"];
    assert_eq!(attributes(chart, "data-doubt"), doubts);
    assert!(chart.contains("A dashed ring"));
    let summary = page.split("<figure").next().unwrap();
    assert!(summary.contains("more threads than processors"), "the best figure is one of them");
    assert!(!ruche_report::render("Quiet", &study()).contains("A dashed ring"));
}
