"""What each command prints with `--json`, as JSON Schema: one for every command.

Fields are those of the tables; a number that is not there is null. A command that fails prints
`FAILED` instead, with the exit code that it has anyway.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

Schema = dict[str, Any]


def text(about: str = "") -> Schema:
    return _of("string", about)


def whole(about: str = "") -> Schema:
    return _of("integer", about)


def number(about: str = "") -> Schema:
    return _of(["number", "null"], about)


def truth(about: str = "") -> Schema:
    return _of("boolean", about)


def free(about: str) -> Schema:
    """An object whose fields are not settled here."""
    return _of("object", about)


def record(about: str = "", /, **fields: Schema) -> Schema:
    """An object with these fields and no others; a name that Python keeps ends in _ here."""
    named = {name.rstrip("_"): field for name, field in fields.items()}
    closed = {"properties": named, "required": list(named), "additionalProperties": False}
    return _of("object", about) | closed


def several(item: Schema, about: str = "") -> Schema:
    return _of("array", about) | {"items": item}


def or_none(schema: Schema) -> Schema:
    kind = schema["type"]
    return schema | {"type": [*([kind] if isinstance(kind, str) else kind), "null"]}


def one_of(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def _of(kind: str | list[str], about: str) -> Schema:
    return {"type": kind, "description": about} if about else {"type": kind}


KEY = text("the key of the study")
FOUND_AT = {"layer": whole("0 is the embedding output"), "state": text("what it is called")}
ENDS = {"low": number("lower end of the 95 % interval"), "high": number("upper end")}
OF_TEXT = {"study": KEY, "model": text(), "text": text(), "languages": text("joined by –")}
CAVEATS = several(text(), "what the numbers cannot bear, a sentence each")

FAILED = record(error=text("what is wrong, where, and what to do"))

STUDY = record(
    key=KEY,
    study=text("model and text"),
    pairs=whole(),
    tokens=whole("whose states are kept"),
    layers=whole("blocks"),
    sentences_cut=whole("longer than the model reads"),
    bytes=whole(),
    how=text("whether it was computed now"),
)
BEST = {
    **{"layer": FOUND_AT["layer"], "value": number()},
    **ENDS,
    "calibrated": number("allowing for the choice among layers"),
    "p_value": number(),
    "ties": whole("other layers that read the very same"),
}
LAYER_ROWS = {
    "similarity": record(
        layer=FOUND_AT["layer"],
        other_layer=whole(),
        state=text(),
        other_state=text(),
        value=number(),
        **ENDS,
        baseline=number("under shuffled pairs"),
        baseline_deviation=number(),
        threshold=number("that 95 % of shuffles stay below"),
        calibrated=number(),
        p_value=number(),
        reason=text("why there is no value"),
    ),
    "retrieval": record(
        **FOUND_AT, direction=text(), metric=text(), value=number(), **ENDS, chance=number()
    ),
    "alignment": record(
        **FOUND_AT, error_rate=number(), **ENDS, precision=number(), recall=number()
    ),
    "rogue": record(
        **FOUND_AT,
        largest=number("share of the variance in one dimension"),
        largest_five=number(),
        participation=number("of how many dimensions the variance is"),
        dimension=whole("the largest"),
    ),
    "geometry": record(**FOUND_AT, language=text(), iso_score=number(), hubness=number()),
}
LAYER_ROWS["similarity"]["properties"]["links"] = text("whose links paired the words")


def _measurement(rows: Schema) -> Schema:
    return record(
        options=free("what was asked, as it is kept in the store"),
        best=record("the best layer", **BEST),
        rows=several(rows, "a row a layer, direction or pair of layers"),
    )


MEASURED = record(
    study=KEY,
    model=text(),
    text=text(),
    languages=several(text(), "their codes"),
    pairs=whole(),
    caveats=CAVEATS,
)
MEASURED["properties"] |= {name: _measurement(rows) for name, rows in LAYER_ROWS.items()}

BEST_LAYER = record(
    best=several(
        record(
            **OF_TEXT,
            score=text(),
            layer=or_none(FOUND_AT["layer"]),
            state=or_none(FOUND_AT["state"]),
            value=number(),
            **ENDS,
            chance=number(),
            within_chance=or_none(truth("whether luck reaches it")),
            as_good={"type": ["array", "null"], "items": whole(), "description": "layers"},
            rows=whole("how much was counted"),
            counted=text("what was counted"),
            links=text(),
            verdict=text("the same in words"),
        ),
        "a row a study and score",
    ),
    layers=several(
        record(
            study=KEY,
            score=text(),
            **FOUND_AT,
            value=number(),
            **ENDS,
            chance=number(),
            best_less_this=number(),
            difference_low=number("interval that holds for all pairs of layers together"),
            difference_high=number(),
        ),
        "a row a study, score and layer",
    ),
)
COMPARED = record(
    text=text(),
    languages=text(),
    pairs=whole(),
    models=several(
        record(
            model=text(),
            study=KEY,
            layers=whole("blocks"),
            caveats=CAVEATS,
            scores=free("by measure: the best layer, as in `measure`, and its `state`")
            | {"additionalProperties": record(**BEST, state=text())},
        )
    ),
)
LANGUAGES = record(
    said=text("the same in words"),
    layers=several(
        record(
            **OF_TEXT,
            rows=whole("sentences"),
            **FOUND_AT,
            translation=number("share of sentences whose nearest is a translation"),
            translation_low=number(),
            translation_high=number(),
            own_language=number("share whose nearest is of the own language"),
            own_language_low=number(),
            own_language_high=number(),
            cosine_of_translations=number(),
            cosine_within_language=number(),
            cosine_of_neither=number(),
            tree_and_families=number("cophenetic correlation"),
            tree_p_value=number(),
        ),
        "a row a layer",
    ),
    pairs=several(
        record(layer=whole(), from_=text(), to=text(), found_first=number(), rows=whole()),
        "a row a layer and ordered pair",
    ),
)
WRITTEN = record(
    study=KEY,
    caption=text("what the map shows"),
    score=or_none(
        record(
            "the score that stands for the map",
            name=text(),
            rests_on=text(),
            **FOUND_AT,
            value=number(),
            **ENDS,
            chance=number(),
        )
    ),
    caveats=CAVEATS,
    files=several(record(path=text(), bytes=whole()), "what was written"),
)
SAID_AND_ROWS = record(
    said=text("the same in words"),
    rows=several(
        one_of(
            record(
                "river", layer=whole(), language=text(), probability=number(), **ENDS, words=whole()
            ),
            record(
                "read-along",
                layer=whole(),
                position=whole(),
                after=text(),
                token=text("what leads"),
                probability=number(),
                language=text(),
            ),
            record(
                "switch",
                layer=whole(),
                strength=number(),
                flipped=number("share of prompts"),
                random=number("the same of random directions"),
                meaning_kept=number(),
                prompts=whole(),
            ),
            record("swap", layer=whole(), said=text(), probability=number(), **ENDS, pairs=whole()),
            record("steered", case=text(), text=text()),
        )
    ),
)
ENTRY = record(
    key=KEY,
    description=text("model and text"),
    demo=truth("whether it ships"),
    created=text("ISO 8601"),
    bytes=whole(),
    record=free("what it was made from; its digest is the key"),
    facts=free("what came out"),
    derived=several(text(), "keys of answers that were computed from it"),
)
RUN = record(
    run=text("its id"),
    kind=text("the command that makes such runs"),
    what=text("model and text"),
    state=text("queued, running, stopped, interrupted, failed or finished"),
    done=whole("units with a result"),
    units=whole(),
    results=free("by unit"),
)
KEYS = several(text(), "keys")
PRESET = record(
    name=text(),
    title=text(),
    kind=text("encoder or decoder"),
    n_layers=whole(),
    width=whole(),
    languages=text(),
    codes=text(),
    licence=text(),
    megabytes=number("to fetch"),
    where=text(),
    source=text(),
    bits=or_none(whole("of each weight, where they were rounded")),
    language_head=truth("whether it can guess tokens"),
    tuned_on=text(),
    head=text(),
    gigabytes_in_memory=number(),
)
TEXTS = several(
    one_of(
        record(
            "that comes with Isogloss",
            name=text(),
            languages=text(),
            pairs=whole(),
            description=text(),
        ),
        record(
            "that is fetched",
            name=text(),
            write=text("how it is named"),
            licence=text(),
            cite=text(),
            description=text(),
        ),
    )
)
CHECKED = record(
    name=text(),
    format=text(),
    encoding=text(),
    languages=several(text(), "codes"),
    languages_guessed=truth(),
    pairs=whole(),
    pairs_with_gold=whole("whose words were aligned by hand"),
    duplicate_share=number(),
    same_share=number("rows that are the same in two languages"),
    skipped=several(text(), "rows left out, and why"),
    not_languages=several(text(), "columns not read, though their names look like codes"),
    content_hash=text(),
    origin=or_none(free("where a fetched text is from")),
)

SCHEMAS: dict[str, Schema] = {
    "extract": STUDY,
    "import-vectors": STUDY,
    "models": several(PRESET),
    "corpus check": CHECKED,
    "corpus ls": TEXTS,
    "best-layer": BEST_LAYER,
    "measure": several(MEASURED, "one a study"),
    "compare": COMPARED,
    "languages": LANGUAGES,
    "map": WRITTEN,
    "methods": record(text=text("LaTeX"), bibtex=text()),
    "studies ls": several(ENTRY),
    "studies verify": record(
        verified=whole("results checked"),
        problems=free("by entry, what is wrong"),
        reports=several(text(), "what was found broken while listing"),
    ),
    "studies prune": several(text(), "keys of the entries that were removed"),
    "studies rm": record(removed=KEYS),
    "studies export": record(archive=text("its path"), entries=KEYS, bytes=whole()),
    "studies import": record(
        imported=several(text(), "keys"),
        already_there=several(text(), "keys"),
        rejected=several(several(text()), "name and reason"),
    ),
    "inner-language": SAID_AND_ROWS,
    "runs ls": several(
        record(
            run=text("its id"),
            kind=text(),
            what=text(),
            state=text(),
            done=text("units with a result, of all"),
            made=text(),
            shipped=truth(),
        )
    ),
    "runs show": record(
        state=text(),
        kind=text(),
        plan=free("its options"),
        created=text(),
        command=text("that makes the same run"),
        facts=free("versions, data and hashes"),
        results=free("by unit"),
    ),
    "runs log": record(run=text(), state=text(), share=number(), message=text(), log=text()),
    "runs stop": record(run=text(), state=text()),
    "runs resume": RUN,
    "runs rm": record(removed=text("its id")),
}
"""By command; a kind of run that is no command here prints `RUN`."""
WITHOUT = {"app": "it becomes the server of the app"}
"""Commands that print nothing for scripts, and why."""


def schema_of(command: str, kinds: Collection[str]) -> Schema:
    """The schema of a command; every kind of run has the same."""
    return RUN if command in kinds else SCHEMAS[command]
