"""A house that is its own caller: somebody says what is called, phrase by phrase, into a phone.

The keeper of the slate leads through the phrases of a language; who sits somewhere says what they
are called. A phone sends what its recorder made as a file, for a page of plain http may not listen;
its own browser has decoded that into WAV, which reads what no small library does.
"""

from flask import Blueprint, Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from kloplei.frozen import dataclass
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.voice_client import NAMES
from kloplei.words import sentence_of
from kloplei.words.catalogue import LANGUAGES, lent_by
from kloplei_panel import access
from kloplei_panel.answers import Problem, fresh, fresh_page
from kloplei_panel.context import board_found, panel
from kloplei_panel.reader import and_here, here, reader, whole
from kloplei_panel.requests import MOST_TAKE_BYTES, in_form, seat_numbered

bp = Blueprint("voice", __name__, url_prefix="/voice")
_MOST_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is to be said, and how it is asked for: *text* in *language*, the *number*th of it.

    Of `NAMES` the number is that of the seat whose name it is.
    """

    language: str
    number: int
    text: str


@bp.get("")
def page() -> Response:
    """Show the phrase ``n`` of a ``language``, or the first that is missing; and the names."""
    return _show()


@bp.post("/keep")
def keep() -> ResponseReturnValue:
    """Let the file ``clip`` of the form say what ``language`` and ``n`` name."""
    from kloplei.voice.clips import BadTake, NoVoice, clip_of, decoded, encoded

    if (request.content_length or 0) > MOST_TAKE_BYTES:
        return _show(None, reader().say("voice.long"), 413)
    asked = _asked_for(request.form.get("language", ""), in_form("n", _MOST_DIGITS))
    sent = request.files.get("clip")
    try:
        clip = encoded(clip_of(decoded(sent.read() if sent else b"")))
        panel().table.voice.keep(asked.language, asked.text, clip)
    except (BadTake, BadRequest) as error:
        return _show(asked, reader().why(error), 400)
    except (NoVoice, TableUnavailable) as error:
        return _show(asked, reader().why(error), 503)
    except OSError:
        return _show(asked, reader().say("voice.unreadable"), 400)
    return _back_to(asked)


@bp.post("/remove")
def remove() -> ResponseReturnValue:
    """Throw away what ``language`` and ``n`` of the form name, or the ``name`` of anybody."""
    if name := request.form.get("name"):
        access.demand_keeper()
        panel().table.voice.remove(NAMES, name)
        return redirect(url_for("voice.page") + here(), 303)
    asked = _asked_for(request.form.get("language", ""), in_form("n", _MOST_DIGITS))
    panel().table.voice.remove(asked.language, asked.text)
    return redirect(
        url_for("voice.page", language=asked.language, n=asked.number) + and_here(here()), 303
    )


@bp.get("/<language>/<int:number>.wav")
def listen(language: str, number: int) -> Response:
    """Answer with what is said there: WAV, which every browser plays."""
    from kloplei.voice.clips import NoVoice, as_wav, decoded

    asked = _asked_for(language, number)
    try:
        samples = decoded(panel().table.voice.clip(asked.language, asked.text))
    except NoVoice as error:
        raise TableUnavailable(sentence_of(error)) from error
    except (BadRequest, OSError) as error:
        if isinstance(error, TableUnavailable):
            raise
        raise Problem(404, "not_found") from error
    return fresh(Response(as_wav(samples), mimetype="audio/wav"))


def _asked_for(language: str, number: int) -> Spoken:
    """Return what is asked for by its number, to who may say it.

    Raises:
        Problem: 403, this phone may not; 404, there is no such thing to say.
    """
    if language == NAMES:
        seat = seat_numbered(number)
        if not panel().pairing.may_act_for(seat):
            raise Problem(403, "not_your_seat")
        name = _names(board_found()).get(number)
        if name is None:
            raise Problem(404, "not_found")
        return Spoken(NAMES, number, name)
    access.demand_keeper()
    texts = _phrases(language)
    if not 1 <= number <= len(texts):
        raise Problem(404, "not_found")
    return Spoken(language, number, texts[number - 1])


def _phrases(language: str) -> tuple[str, ...]:
    from kloplei.voice.calls import phrases

    if language not in LANGUAGES:
        raise Problem(404, "not_found")
    return phrases(language)


def _names(board: Scoreboard) -> dict[int, str]:
    """Return who may say what they are called, by the number of the seat; no lent name is one."""
    return {seat.shown: name for seat, name in board.names.items() if lent_by(name) is None}


def _back_to(asked: Spoken) -> ResponseReturnValue:
    """Return the way to what is to be said after *asked*, which can be heard there."""
    if asked.language == NAMES:
        return redirect(url_for("voice.page") + here() + f"#name-{asked.number}", 303)
    told = url_for("voice.page", language=asked.language, after=asked.number)
    return redirect(told + and_here(here()), 303)


def _show(asked: Spoken | None = None, message: str = "", status: int = 200) -> Response:
    pairing, board = panel().pairing, reader().reads(panel().table.scoreboard())
    names = {
        number: name
        for number, name in _names(board).items()
        if pairing.may_act_for(seat_numbered(number))
    }
    if not (pairing.may_keep or names or pairing.may_act):
        raise Problem(403, "not_allowed")
    stand = panel().table.voice.look()
    language = asked.language if asked is not None else request.args.get("language", "")
    if language not in LANGUAGES:
        language = stand.calls or reader().language
    texts = _phrases(language)
    said = stand.said.get(language, ())
    after = whole(request.args.get("after", ""), _MOST_DIGITS) or 0
    return fresh_page(
        "voice/page.html",
        status,
        reader=reader(),
        board=board,
        may_keep=pairing.may_keep,
        calls=stand.calls,
        language=language,
        languages=LANGUAGES,
        texts=texts,
        said=said,
        n=_number(asked, texts, said, after),
        after=after if 0 < after <= len(texts) and texts[after - 1] in said else None,
        names=names,
        named=stand.said.get(NAMES, ()),
        NAMES=NAMES,
        message=message,
    )


def _number(asked: Spoken | None, texts: tuple[str, ...], said: tuple[str, ...], after: int) -> int:
    """Return the number of the phrase that is shown: as asked, else the next that is missing."""
    if asked is not None and asked.language != NAMES:
        return asked.number
    number = whole(request.args.get("n", ""), _MOST_DIGITS)
    if number is not None and 1 <= number <= len(texts):
        return number
    order = [*range(after + 1, len(texts) + 1), *range(1, after + 1)]
    return next((one for one in order if texts[one - 1] not in said), min(after + 1, len(texts)))
