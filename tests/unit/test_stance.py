"""What a rule prefers and rejects, and which earlier rule it replaces."""

from __future__ import annotations

from memoranda.language.rule_preference import Stance
from tables import each

REPLACED = (
    ("Always use tabs for indentation.", "Always use spaces for indentation, never tabs."),
    ("Always use tabs for indentation.", "From now on use spaces for indentation, no longer tabs."),
    ("Use black for formatting", "Use ruff for formatting, not black"),
    ("Use pytest", "Use unittest instead of pytest"),
    ("Use spaces, not tabs", "Use tabs, not spaces"),
    ("Deploy on Fridays", "Never deploy on Fridays"),
    ("Never deploy on Fridays", "Deploy on Fridays"),
    ("Log in JSON", "Don't log in JSON, use plain text"),
    ("Nutze Tabs zur Einrückung", "Nutze Leerzeichen zur Einrückung, keine Tabs"),
    ("Usa tabuladores para la sangría", "Usa espacios para la sangría, no tabuladores"),
    ("Indentez avec des tabulations", "Indentez avec des espaces, jamais de tabulations"),
    ("Please always reply in German.", "Stop replying in German. English again please."),
    ("Always answer in German.", "You can stop replying in German."),
    ("Sign every commit.", "Please quit signing commits"),
    ("Antworte immer auf Deutsch.", "Hör bitte auf, mir auf Deutsch zu antworten."),
    ("Responde siempre en alemán.", "Deja de responder en alemán."),
    ("Réponds toujours en allemand.", "Arrête de répondre en allemand."),
    ("Responda sempre em alemão.", "Pare de responder em alemão."),
)
BOTH_HOLD = (
    ("Use tabs in Makefiles", "Use spaces for indentation, never tabs"),
    ("Deploy on Fridays at 3", "Never deploy on Fridays"),
    ("Use pytest for unit tests", "Use unittest instead of pytest"),
    ("Use spaces for indentation, no longer tabs", "Use spaces, not tabs"),
    ("Never call the tax API in tests", "Use spaces for indentation, never tabs"),
    ("Small commits, not big ones", "Small commits with a reason"),
    ("Use ruff for formatting, not black", "Use ruff for formatting, not black"),
    ("Always start the server.", "Stop the server"),
    ("Always make the tests pass.", "Stop when the tests pass"),
    ("Always reply in German.", "Stop replying in German when I ask about SQL"),
    ("Always reply in German.", "Don't stop replying in German"),
    ("Always run the tests before a commit.", "Stop running the tests"),
)

REVOKED = (
    (
        "Always run `make lint` before you commit, because CI rejects unformatted files.",
        "You no longer need to run make lint by hand, the hook does it now.",
    ),
    ("Sign commits with GPG, always.", "You no longer need to sign commits."),
    (
        "In this project we use structlog, not the logging module, because the shipper reads JSON.",
        "Stop using structlog; we are going back to plain logging.",
    ),
    ("Always use tabs in Vue files.", "Two spaces from now on, and forget the tabs rule."),
    ("Always write changelog entries.", "No more changelog entries, please."),
    ("Never push straight to main.", "Pushing to main is allowed again."),
    ("Always use Redux for state.", "We dropped Redux in favour of Zustand."),
    ("Never delete branches.", "Feel free to delete branches after the merge."),
    (
        "Mock the carriers in tests.",
        "I changed my mind about mocking the carriers: use the sandbox.",
    ),
    ("and no --prune on any sync: prune stays off since the outage", "the prune ban is lifted."),
    ("Run the linter last, it takes forever.", "it is fast now, so forget the lint-last rule"),
    (
        "the whole suite only right before a commit, this box is slow, single files in between.",
        "new machine, run the suite whenever you like, forget the old before-commit-only thing.",
    ),
    ("Keep dark mode out of the board.", "Oh and the dark mode ban is over, half of them use it."),
    ("Always use tabs for indentation.", "You can ignore the tabs rule from now on."),
    ("Always use tabs for indentation.", "We don't need the tabs rule anymore."),
    ("Never push to main.", "You're allowed to push to main again."),
    ("Always write tests first.", "It's no longer necessary to write tests first."),
    ("Always answer in French.", "Switch back to English please."),
    ("Nie auf main pushen.", "Du darfst wieder auf main pushen."),
    ("Schreib Commits immer auf Deutsch.", "Du darfst Commits wieder auf Englisch schreiben."),
    ("Usa siempre tabuladores para la sangría.", "Olvídate de la regla de los tabuladores."),
    ("今後は必ずテストを実行してください。", "もうテストを実行する必要はありません。"),
    ("请一直使用制表符缩进。", "制表符那条规则不用管了。"),
    ("以后不要直接推送到主分支。", "现在可以直接推送到主分支了。"),
    ("以后请一直用中文回答。", "以后不要用中文回答。"),
    ("请始终运行测试。", "以后不用运行测试了。"),
    ("Always answer in French.", "From now on no longer answer in French, answer in English."),
    ("Nutze Tabs zur Einrückung", "Ab jetzt keine Tabs zur Einrückung"),
    ("Sign every commit.", "From now on stop signing commits."),
    ("Please always use tabs for indentation.", "Scratch the tabs rule, go with spaces."),
    ("From now on run make lint before each commit.", "Ignore the make lint rule, it's gone."),
    ("今後は必ずコメントを日本語で書いてください。", "もうコメントを日本語で書かなくていいです。"),
    ("Always answer in French from now on.", "You can answer in English again."),
    ("Never deploy on Fridays.", "Forget the rule about Fridays."),
    ("Always sign every commit.", "You no longer need to sign commits."),
    ("Always sign every commit.", "The commit signing rule no longer applies."),
    ("Use tabs for indentation.", "Forget what I said about tabs."),
    ("Always sign every commit.", "No need to sign commits any more."),
    ("Antworte immer auf Deutsch.", "Du kannst wieder auf Englisch antworten."),
    ("Nutze immer Tabs zur Einrückung.", "Vergiss die Tab-Regel."),
    ("Nutze immer Tabs zur Einrückung.", "Die Regel mit den Tabs gilt nicht mehr."),
    ("Bitte antworte immer auf Deutsch.", "Du musst nicht mehr auf Deutsch antworten."),
    ("Signiere immer jeden Commit.", "Du brauchst die Commits nicht mehr zu signieren."),
    ("Usa siempre tabuladores para la sangría.", "Olvida la regla de los tabuladores."),
    ("Usa siempre tabuladores para la sangría.", "La regla de los tabuladores ya no vale."),
    ("Firma siempre los commits.", "Ya no hace falta firmar los commits."),
    ("Responde siempre en francés.", "Puedes responder en inglés de nuevo."),
    ("Indentez toujours avec des tabulations.", "Oublie la règle des tabulations."),
    ("Signe toujours les commits.", "Tu n'as plus besoin de signer les commits."),
    ("Réponds toujours en français.", "Tu peux répondre en anglais de nouveau."),
    ("Indentez toujours avec des tabulations.", "La règle des tabulations ne s'applique plus."),
    ("以后请一直使用中文写注释。", "不用再用中文写注释了。"),
    ("以后请一直用中文回答。", "不用再用中文回答了。"),
    ("以后请一直用中文回答。", "以后可以用英文回答了。"),
    ("以后请一直用制表符缩进。", "忘掉制表符的规则吧。"),
    ("以后请一直用制表符缩进。", "制表符的规则取消了。"),
    ("今後はタブでインデントしてください。", "タブのルールはもう忘れてください。"),
    ("今後はコミットに署名してください。", "コミットに署名するのはやめてください。"),
    ("今後は必ずフランス語で答えてください。", "また英語で答えてください。"),
    ("Always answer in French.", "Always answer in English."),
    ("Always run black before a commit.", "Drop the black rule."),
    ("Never edit the lock files by hand.", "It's fine to edit the lock files by hand now."),
    ("Never edit the lock files by hand.", "You can edit the lock files by hand now."),
    ("Never edit the lock files.", "ok, you can edit the lock files if the build needs it"),
    ("Never merge without a review.", "You may merge without a review from now on."),
    ("Never use global variables.", "Global variables are ok now."),
    ("No abbreviations in headings, ever.", "Abbreviations in headings are fine again."),
    ("Never release on Mondays.", "Releasing on Mondays is allowed from now on."),
    ("Always run isort before committing", "We don't need isort any more, ruff sorts imports."),
    ("Always write a changelog entry.", "No need for changelog entries any more."),
    (
        "Always list the files that you will change before you start.",
        "No need to list the files that you will change, just start.",
    ),
    ("From now on add a ticket number to branch names.", "Drop the ticket number."),
    (
        "You must always build the whole docker image before you answer.",
        "Building the whole image is overkill, only build the layer in future.",
    ),
    ("Answer everything in rhyme.", "You can stop with the rhyme thing."),
    ("From now on write logs to /var/app.", "No wait, write the logs to /var/log/app."),
    ("Nunca uses comentarios largos.", "Ya puedes usar comentarios largos otra vez."),
    ("Ne fusionne jamais sans relecture.", "Tu peux à nouveau fusionner sans relecture."),
    ("N'utilise jamais les macros.", "Tu peux désormais utiliser les macros."),
    ("Nutze niemals globale Variablen.", "Globale Variablen sind jetzt erlaubt."),
    ("略語は絶対に使わないで", "略語はもう使ってもいいよ"),
    ("永远不要用缩写", "现在可以用缩写了"),
)
NOT_REVOKED = (
    ("Always use tabs for indentation.", "No more than three tabs in the browser, please."),
    ("Never push to main.", "Feel free to push your branch."),
    ("Keep the Redux store small.", "We dropped three tests in favour of one."),
    ("You run the suite before a commit.", "You no longer need to run the server."),
    ("That is a nasty one.", "I'll mark the run as done by hand, you can forget about that one."),
    ("Tests go first, before the code.", "fine, but don't forget the tests thing"),
    ("Audit logs stay for a year.", "so we said never drop the audit rule"),
    ("Never push to main.", "You can push to the feature branch again."),
    ("Never push to main.", "You can run the tests again."),
    ("Always answer in French.", "Go back to the English page and check it."),
    ("Always run the tests.", "You can run the tests again."),
    ("以后不要直接推送到主分支。", "可以再看一下主分支。"),
    ("以后请一直用中文回答。", "不要用中文命名变量。"),
    ("请始终运行测试。", "不用谢。"),
    ("Always check the log for warnings.", "Ignore the warning in the log."),
    ("Keep the surface API small.", "We only scratch the surface."),
    ("Always use tabs for indentation.", "Scratch the surface of the tabs API first."),
    ("Always use tabs for indentation.", "Use the tabs widget in the settings page."),
    ("Always use tabs for indentation.", "Ignore the tabs in the pasted log."),
    ("Always use tabs for indentation.", "Forget the tabs for a moment."),
    ("Always use tabs for indentation.", "The tabs rule does not apply to Makefiles."),
    ("Always use tabs for indentation.", "Ignore the tabs rule in the generated files."),
    ("Always use tabs for indentation.", "Don't forget the tabs rule."),
    ("Always use tabs for indentation.", "Remove the tabs rule from .editorconfig"),
    ("Always keep the firewall on.", "Drop the firewall rule for port 22."),
    ("Never deploy on Fridays.", "Forget the rule about Mondays."),
    ("Always answer in French.", "Translate the page to English."),
    ("Write the docs in French.", "Write the commit messages in English."),
    ("Always answer in French.", "You can answer in English or French."),
    ("Always sign every commit.", "You don't need to sign the form."),
    ("Always sign every commit.", "No need to sign commits in the sandbox."),
    ("Always run the tests before a commit.", "You no longer need to run the server."),
    ("Nutze immer Tabs zur Einrückung.", "Vergiss die Tabs nicht."),
    ("Nutze immer Tabs zur Einrückung.", "Ignoriere die Warnung im Log."),
    ("Usa siempre tabuladores para la sangría.", "Ignora el aviso del log."),
    ("Usa siempre tabuladores para la sangría.", "Olvida los tabuladores del ejemplo."),
    ("Indentez toujours avec des tabulations.", "Ignore l'avertissement dans le journal."),
    ("以后请一直用中文写注释。", "忽略日志里的警告。"),
    ("以后请一直用中文写注释。", "不用再运行测试了。"),
    ("以后请一直用中文写注释。", "把注释翻译成英文。"),
    ("今後はコメントを日本語で書いてください。", "ログの警告は無視してください。"),
    ("今後はコメントを日本語で書いてください。", "もうテストを実行しなくていいです。"),
    ("今後はコメントを日本語で書いてください。", "コメントを英語に翻訳してください。"),
    ("Never push to main.", "You can push now."),
    ("Never push without asking.", "You can push to staging now."),
    ("Never edit the lock files.", "Is it ok to edit the lock files now?"),
    ("Never break the build.", "The build is ok now."),
    ("Never mock the clock.", "You're allowed to mock the clock in the demo."),
    ("Always run the tests.", "No need to run the tests, just commit."),
    ("Always add a prefix to the users table.", "Drop the users table."),
    ("Never store files in Redis.", "We don't need Redis any more."),
    ("Always use Python type hints.", "We don't need Python 3.8 support any more."),
    ("Always write in the second person.", "I meant the second button, not the first."),
    ("Always keep the unit tests fast.", "I meant the slow tests."),
    ("Never use global variables.", "It's not fine to use global variables now."),
    ("N'utilise jamais les macros.", "Tu peux désormais lancer les tests."),
    ("略語は絶対に使わないで", "テストを実行してもいいよ"),
    ("永远不要用缩写", "现在可以运行测试了"),
    ("Log every rule that fires.", "Ignore the failed rule check."),
    (
        "Always run the tests and the linter before each push to main or release.",
        "Scratch the main rule.",
    ),
)


@each(("earlier", "later"), REVOKED)
def test_a_revocation_ends_the_rule_it_names(earlier: str, later: str) -> None:
    assert Stance.of(later).replaces(Stance.of(earlier))
    assert not Stance.of(earlier).revokes


@each(("earlier", "later"), NOT_REVOKED)
def test_what_names_no_rule_or_another_one_revokes_nothing(earlier: str, later: str) -> None:
    assert not Stance.of(later).replaces(Stance.of(earlier))


@each(("earlier", "later"), REPLACED)
def test_a_later_rule_replaces_what_it_rejects(earlier: str, later: str) -> None:
    assert Stance.of(later).replaces(Stance.of(earlier))


@each(("earlier", "later"), BOTH_HOLD)
def test_rules_that_can_both_hold_replace_nothing(earlier: str, later: str) -> None:
    assert not Stance.of(later).replaces(Stance.of(earlier))


def test_rules_that_reject_the_same_agree() -> None:
    one, other = Stance.of("Use spaces for indentation, never tabs"), Stance.of("spaces, not tabs")
    assert one.agrees(other)
    assert other.agrees(one)
    assert not one.agrees(Stance.of("two spaces for indentation, never tabs in SQL"))


def test_a_rejected_phrase_is_found_where_a_text_has_it() -> None:
    rule = Stance.of("Match prices by zone, never line by line.")
    assert rule.rejects_words_of("Decision: the lists are compared line by line")
    assert not rule.rejects_words_of("The lists are not compared line by line")
    assert not rule.rejects_words_of("Each line has a price")
    assert not Stance.of("Keep it out, not in the repo").rejects_words_of("It is in the repo")


def test_what_the_speaker_puts_right_at_once_needs_one_word_in_common() -> None:
    rule, later = Stance.of("Always use snake case."), Stance.of("Sorry, I meant camel case.")
    assert later.puts_right(rule)
    assert not later.replaces(rule)
    assert not Stance.of("I meant it.").puts_right(rule)
    assert not Stance.of("Sorry, I meant the other branch.").puts_right(rule)
