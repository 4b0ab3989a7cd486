"""Writes data sets by the tools that people use, each in a folder of its own below the first argument."""

import os
import sys

import numpy
import soundfile
from datasets import Audio, Dataset
from lhotse import CutSet, Recording, RecordingSet, SupervisionSegment, SupervisionSet
from lhotse.kaldi import export_to_kaldi
from praatio import textgrid
from pympi import Elan

out = os.path.abspath(sys.argv[1])
rate = 16000
texts = ["one", "two words", "and three words"]
random = numpy.random.default_rng(1)


def folder(name):
    path = os.path.join(out, name)
    os.makedirs(path, exist_ok=True)
    return path


def sound(path, seconds):
    samples = 0.3 * random.standard_normal(int(rate * seconds))
    soundfile.write(path, samples.clip(-1, 1), rate)
    return path


paths = [sound(os.path.join(folder("audio"), f"r{index}.flac"), index + 1) for index in range(3)]

recordings = RecordingSet.from_recordings(Recording.from_file(path) for path in paths)
supervisions = SupervisionSet.from_segments(
    SupervisionSegment(f"s{index}", f"r{index}", 0.25, 0.5, text=text, language="English", speaker="anna")
    for index, text in enumerate(texts)
)
recordings.to_file(os.path.join(folder("lhotse"), "x_recordings_test.jsonl.gz"))
supervisions.to_file(os.path.join(folder("lhotse"), "x_supervisions_test.jsonl.gz"))
cuts = CutSet.from_manifests(recordings=recordings, supervisions=supervisions).to_eager()
cuts.to_file(os.path.join(folder("lhotse-cuts"), "cuts_test.jsonl.gz"))
cuts.trim_to_supervisions().to_file(os.path.join(folder("lhotse-trimmed"), "cuts.jsonl"))
cuts.resample(8000).to_file(os.path.join(folder("lhotse-resampled"), "cuts.jsonl.gz"))
cuts.perturb_speed(1.1).to_file(os.path.join(folder("lhotse-speed"), "cuts.jsonl.gz"))
cuts.pad(5.0).to_file(os.path.join(folder("lhotse-padded"), "cuts.jsonl.gz"))
cuts.to_shar(folder("lhotse-shar"), fields={"recording": "flac"}, shard_size=2)
os.chdir(out)
relative = RecordingSet.from_recordings(Recording.from_file(f"audio/r{index}.flac") for index in range(3))
relative.to_file(os.path.join(folder("lhotse-relative"), "recordings.jsonl"))
supervisions.to_file(os.path.join(folder("lhotse-relative"), "supervisions.jsonl"))
export_to_kaldi(recordings, supervisions, folder("kaldi"))

spoken = Dataset.from_dict({"speech": paths, "what_was_said": texts}).cast_column("speech", Audio(rate))
spoken.to_parquet(os.path.join(folder("datasets/data/test"), "part-0.parquet"))
spoken.save_to_disk(folder("datasets-arrow"))
samples = [{"array": soundfile.read(path)[0].tolist(), "sampling_rate": rate} for path in paths]
arrays = Dataset.from_dict({"audio": samples, "transcription": texts})
arrays.to_parquet(os.path.join(folder("datasets-arrays"), "test.parquet"))

for form in ("short_textgrid", "long_textgrid"):
    for index, text in enumerate(texts):
        name = os.path.join(folder(form), f"r{index}")
        sound(f"{name}.wav", 1)
        grid = textgrid.Textgrid()
        words = text.split()
        step = 0.8 / len(words)
        spoken_words = [(0.1 + step * at, 0.1 + step * (at + 1), word) for at, word in enumerate(words)]
        grid.addTier(textgrid.IntervalTier("words", spoken_words, 0, 1))
        grid.save(f"{name}.TextGrid", form, includeBlankSpaces=True)

elan = Elan.Eaf(author="someone")
elan.remove_tier("default")
elan.add_tier("said", part="anna")
for index, text in enumerate(texts):
    elan.add_annotation("said", 500 + 1000 * index, 1000 + 1000 * index, text)
elan.to_file(os.path.join(folder("elan"), "talk.eaf"))
sound(os.path.join(folder("elan"), "talk.wav"), 4)
