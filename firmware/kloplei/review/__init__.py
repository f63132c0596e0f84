"""What the table heard, for people to look back on, mark and learn from.

In come the judgements of all sensors (`service.ReviewService` is their `Hearer`, from any thread,
and never lets them wait); out go knocks to the table's message queue, and to panel and terminal
the answers of `kloplei.table.client.EarsClient`. No sound is ever recorded: what is kept are the
last blows, each with the fifth of a second around it (docs/review.md).

Four threads, one owner each: `store.EventLogWriter` writes the event log,
`suggest.SuggestionWorker` works out what marks suggest, `tuning.TableTuning` what a tuning
comes to, and `lessons.LessonBook` what people confirm while they play.
`calibrations` holds the calibration in force; whoever changes it saves it there first. Read
`service` first.
"""
