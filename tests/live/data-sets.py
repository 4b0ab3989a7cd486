"""Writes data sets by the tools that people use, each in a folder of its own below the first argument."""

import importlib.util
import os
import sys
from unittest.mock import MagicMock

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

# Praat itself writes UTF-16 with a byte order mark where a text needs it; praatio only reads it.
for index in range(len(texts)):
    name = os.path.join(folder("utf16_textgrid"), f"r{index}")
    sound(f"{name}.wav", 1)
    with open(os.path.join(folder("long_textgrid"), f"r{index}.TextGrid"), encoding="utf-8") as written:
        text = written.read()
    with open(f"{name}.TextGrid", "w", encoding="utf-16") as grid_file:
        grid_file.write(text)
    assert len(textgrid.openTextgrid(f"{name}.TextGrid", False).tierNames) == 1

elan = Elan.Eaf(author="someone")
elan.remove_tier("default")
elan.add_tier("said", part="anna")
for index, text in enumerate(texts):
    elan.add_annotation("said", 500 + 1000 * index, 1000 + 1000 * index, text)
elan.to_file(os.path.join(folder("elan"), "talk.eaf"))
sound(os.path.join(folder("elan"), "talk.wav"), 4)

# What NeMo's own module of manifests imports, and does not need to write one.
for needed in ("librosa", "nemo.collections.asr.parts.utils.speaker_utils", "nemo.utils", "nemo.utils.data_utils"):
    sys.modules[needed] = MagicMock()
place = "nemo/collections/asr/parts/utils/manifest_utils.py"
found = next(path for path in (os.path.join(base, place) for base in sys.path) if os.path.exists(path))
spec = importlib.util.spec_from_file_location("manifest_utils", found)
nemo = importlib.util.module_from_spec(spec)
spec.loader.exec_module(nemo)


def manifest(name, rows):
    path = os.path.join(folder(name), "test_manifest.json")
    nemo.write_manifest(path, rows)
    assert nemo.read_manifest is not None
    return path


said = list(zip(paths, texts))
manifest("nemo", [{"audio_filepath": p, "duration": i + 1.0, "text": t} for i, (p, t) in enumerate(said)])
relative = [os.path.join("wavs", f"r{index}.flac") for index in range(3)]
for index, name in enumerate(relative):
    os.makedirs(os.path.join(folder("nemo-relative"), "wavs"), exist_ok=True)
    with open(paths[index], "rb") as source, open(os.path.join(folder("nemo-relative"), name), "wb") as copy:
        copy.write(source.read())
manifest(
    "nemo-relative",
    [{"audio_filepath": p, "duration": i + 1.0, "text": t, "lang": "en"} for i, (p, t) in enumerate(zip(relative, texts))],
)
manifest("nemo-offsets", [{"audio_filepath": p, "offset": 0.25, "duration": 0.5, "text": t} for p, t in said])


def listed(name, lines):
    path = os.path.join(out, name)
    with open(path, "w") as file:
        file.write("".join(f"{line}\n" for line in lines))
    return path


def said_file(index, text):
    path = os.path.join(folder("nemo-texts"), f"r{index}.txt")
    with open(path, "w") as file:
        file.write(text)
    return path


audio_list = listed("audio.list", paths)
text_list = listed("text.list", [said_file(index, text) for index, text in enumerate(texts)])
nemo.create_manifest(audio_list, os.path.join(folder("nemo-created"), "manifest.json"), text_list)
nemo.create_manifest(audio_list, os.path.join(folder("nemo-unsaid"), "manifest.json"))
