"""Statements of people, and later messages of theirs that only mention them."""

from __future__ import annotations

MENTIONED: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("always run make lint before committing", "use make build for builds"),
        "don't forget what I said about make lint",
    ),
    (("use tabs in this repo", "max line length is 100"), "did you forget the tabs rule?"),
    (
        ("Swiss invoices are in CHF.", "EU invoices are in EUR."),
        "I didn't forget about CHF, I just haven't got round to it. Send me the draft.",
    ),
    (
        ("buttons are always teal", "the footer carries the imprint link"),
        "forget the button, let's do the footer first",
    ),
    (
        ("ssh goes through the bastion", "Marek is our ops guy"),
        "lol marek tried to ssh in directly, he forgot about the bastion again",
    ),
    (
        ("We provision everything with Ansible.", "Secrets are in vault."),
        "what did I say about Ansible?",
    ),
    (
        ("run the tests after every change", "tests use pytest, no unittest"),
        "forget about the tests for now, I just want to see if the page renders",
    ),
    (
        ("The users table must keep its created_at column.", "All tables have a UUID key."),
        "drop the users table in my local db and run the seeds again",
    ),
    (("dev server runs on port 4000", "never start two servers at once"), "stop the server"),
    (
        ("I want zero compiler warnings.", "We compile with clang 17."),
        "ignore the warning from the third-party header just now, that one is known",
    ),
    (
        ("Check spelling in every document I send you.", "I write British English."),
        "never mind the typo in my last message, you know what I meant",
    ),
    (
        ("I'm allergic to hazelnuts.", "Tom is allergic to cats."),
        "Can you drop the hazelnuts from this recipe and use almonds?",
    ),
    (
        ("We keep a changelog in CHANGELOG.md.", "Entries are grouped by Added, Fixed, Removed."),
        "Remove the third entry from the changelog, that fix was never merged.",
    ),
    (
        ("I do pottery on Tuesdays.", "No calls before 10."),
        "cancel my call on Tuesday, I'm at pottery",
    ),
    (
        ("Postgres everywhere, even in tests.", "Migrations by hand."),
        "kill the postgres container pls, it eats all my ram",
    ),
    (
        ("all events go through NATS", "consumers must be idempotent"),
        "Is the NATS rule in the README? If it isn't, please put it in.",
    ),
    (
        ("Every PR needs two approvals.", "Reviews within a day."),
        "Never mind the PR I linked, wrong one. It's #412.",
    ),
    (
        ("I take ramipril every morning.", "No grapefruit."),
        "i forgot my ramipril this morning, can i still take it now at 3pm?",
    ),
    (
        ("Commit messages start with the Jira key.", "One commit per topic."),
        "drop the last commit and force push my branch, the message had the wrong jira key",
    ),
    (
        ("Log as JSON.", "No e-mail addresses in logs."),
        "Whoever wrote this module ignored everything I said about logging. Fix it.",
    ),
    (
        ("feature flags live in flags.yaml", "flags default to off"),
        "Delete the flag new_checkout from flags.yaml, it's fully rolled out.",
    ),
    (
        ("The spare key is with the Novaks.", "The cat only eats wet food in the evening."),
        "I forgot my key again. Good thing there's the Novaks!",
    ),
    (("We have to support IE11.", "Bundle below 300 kB."), "god I wish we could forget about IE11"),
    (
        ("Water the tomatoes in the evening.", "No pesticides in the garden."),
        "It rained all day so skip the tomatoes tonight.",
    ),
    (("use pnpm", "node 20"), "stop, stop, you're running npm install. what did we agree on??"),
    (
        ("Deploys need Renata's sign-off.", "No deploys on Fridays."),
        "Abort the deploy! Renata hasn't signed off yet.",
    ),
    (
        ("Answer in bullet points.", "Keep it under ten lines."),
        "The second bullet point is wrong, take it out please.",
    ),
    (
        ("Friday is pizza day.", "No olives on my pizza."),
        "scrap the pizza dough, I think the yeast was dead. how do I start a fresh one?",
    ),
    (
        ("API returns snake_case.", "Dates in UTC."),
        "Anything else I told you about the API? Before I forget half of it myself.",
    ),
    (
        ("Expense reports are due on the 25th.", "Taxi receipts must be scanned."),
        "forget the taxi, how much was the hotel?",
    ),
    (
        ("CC legal on contract mails.", "Sign with Kind regards."),
        "undo send!! I forgot to CC legal",
    ),
    (
        ("docker images on alpine", "tag with the git sha"),
        "Remove all dangling images, and throw out the alpine 3.14 one as well, it's ancient.",
    ),
    (
        ("Oskar reviews everything in billing.", "No mocks in billing tests."),
        "Please drop Oskar a line that the billing branch is ready for him.",
    ),
    (
        ("Round quarterly numbers to thousands.", "Charts in corporate blue."),
        "Ignore the blue cells in the sheet, they're only placeholders.",
    ),
    (
        ("I keep kosher.", "Induction stove."),
        "Never mind the stove, it just needed a reset. Where were we with the soup?",
    ),
    (
        ("We use semver.", "Releases are named after cheeses."),
        "take back the 2.3.0 release, I tagged the wrong commit. next cheese stays the same",
    ),
    (
        ("My nephew Ben is afraid of dogs.", "Ben comes every second weekend."),
        "Is it true that most kids just lose their fear of dogs at some point? Ben hasn't.",
    ),
    (("css in BEM", "no !important"), "wait forget the css a sec, why is the api returning 500"),
    (
        ("Remind me every evening to do my back exercises.", "Rent is due on the 5th."),
        "You forgot to remind me of the back exercises yesterday.",
    ),
    (
        ("alerts go to #ops-noise", "metrics in grafana"),
        "mute the disk alert until I've swapped the drive",
    ),
    (
        ("Essays for Mr. Lund in MLA.", "Short paragraphs please, I'm dyslexic."),
        "scratch that last paragraph, it sounds like a robot wrote it. keep it mla tho",
    ),
    (
        ("The backup runs at 2 am to the NAS.", "Photos go to Backblaze."),
        "Delete the photos from 2019 on the NAS, they're on Backblaze.",
    ),
    (
        ("No spoilers for Severance.",),
        "Forget Severance for a minute, what else is there with Adam Scott in it?",
    ),
    (
        ("Coverage may not drop below 85 %.", "No snapshot tests."),
        "Coverage is dropping. Please add tests to the parser until it's back over the limit.",
    ),
    (
        ("I don't eat coriander.", "I love spicy food."),
        "I asked them to leave off the coriander and guess what they forgot",
    ),
    (
        ("The projector needs the HDMI adapter from drawer 2.", "Room booking is under my name."),
        "Sorry, never mind, found the adapter.",
    ),
    (
        ("Refunds over 200 euros go through me.", "Replies within 24 hours."),
        "The customer in ticket 902 withdrew his refund request, you can close it.",
    ),
    (
        ("The lease ends on 31 August.", "No pets according to the lease."),
        "I'd like to ask the landlord to drop the pet clause. Draft a nice letter?",
    ),
    (
        ("Sessions live in Redis.", "Sessions expire after 20 minutes."),
        "flush redis and drop all sessions, I want to test the login from scratch",
    ),
    (
        ("My standup is at 9:15.", "Lunch with Priya every Wednesday."),
        "Priya can't make it this Wednesday, so no lunch. Next week as usual.",
    ),
    (("Only print PETG on the Ender.", "Nozzle is 0.6."), "stop the print, it's spaghetti again"),
    (
        ("Hexagonal architecture, please.", "Domain code may not import frameworks."),
        "I know, I know, you think the hexagonal thing is overkill. It isn't. Carry on.",
    ),
    (
        ("weekly report goes to Hamid", "three sections, no more"),
        "leave out the third section this week, there's nothing to say. hamid won't mind",
    ),
    (
        ("I get seasick, so no ferries.", "No flights before 8."),
        "Funny, my travel agent offered me a ferry. I told her to forget it.",
    ),
    (
        ("the linter config is off limits", "fix lint errors, don't silence them"),
        "ignore the lint errors in legacy/ today, just do the ones in src",
    ),
    (
        ("Bitte immer Tabs verwenden.", "Kommentare auf Englisch."),
        "hast du das mit den Tabs vergessen?",
    ),
    (
        ("Vor jedem Commit laufen die Tests.", "Wir arbeiten auf dem Branch develop."),
        "lass die tests mal kurz weg, ich will nur sehen ob der build durchläuft",
    ),
    (
        ("Usa siempre comillas simples.", "Nada de console.log."),
        "no te olvides de lo de las comillas",
    ),
    (
        (
            "La tabla de clientes está en la base de datos principal.",
            "Los clientes nunca se borran, se desactivan.",
        ),
        "borra la tabla temporal de clientes que creaste ayer para la prueba",
    ),
    (
        ("On déploie le mardi matin.", "Les tests passent avant chaque fusion."),
        "qu'est-ce que j'avais dit à propos du mardi ?",
    ),
    (
        ("Vouvoie les clients.", "Signe avec mon prénom."),
        "Laisse tomber le mail à Sandrine, je l'appelle. Occupe-toi plutôt du client de Lyon.",
    ),
    (
        ("The header must be sticky on every page.", "Use rem for font sizes."),
        "the header part is wrong, it overlaps the nav on mobile",
    ),
    (("CI has to be green before a merge.", "Squash commits."), "the CI thing is done"),
    (
        ("Show pricing in euros.", "The pricing table has three tiers."),
        "the pricing stuff is gone from the page, why?",
    ),
    (
        ("the export job must write UTF-8", "exports go to the S3 bucket"),
        "the export job is dead again, exit code 137",
    ),
    (("Store login times in UTC.",), "login is off by one hour for everyone in Berlin"),
    (
        ("I'm lactose intolerant.", "Recipes for two people."),
        "Remove the comment about lactose from the recipe please, it looks odd in print.",
    ),
    (
        ("Rename things only with git mv.", "Never rename public API functions."),
        "undo the rename thing",
    ),
    (
        ("Run lint before every commit.", "Lint errors block the build."),
        "skip the lint part for now and show me the diff",
    ),
    (
        ("Nightly jobs write their log to /var/log/jobs.", "Use cron, not systemd timers."),
        "cancel the nightly job that is running at the moment, it hogs the disk",
    ),
    (
        ("Always answer review comments within the thread.", "Tom reviews the front end."),
        "ignore the review comments of Tom, he looked at an old version",
    ),
    (
        ("Every index needs a name with idx_ in front.", "No migrations without a rollback."),
        "drop the index on orders",
    ),
    (
        ("The dev server listens on port 8081.", "Don't run the server as root."),
        "kill the server, i changed the env file",
    ),
    (
        ("Buttons have rounded corners.", "The footer is dark grey."),
        "forget the button, do the footer first",
    ),
    (
        ("retry failed uploads five times with backoff",),
        "the retry rule is what I wanted, works like a charm",
    ),
    (("tabs not spaces", "no trailing whitespace"), "who made the tabs rule? was that me?"),
    (
        ("Each PR gets a changelog line.", "PR titles start with the ticket id."),
        "don't forget the changelog rule",
    ),
    (
        ("Show all amounts in CHF.", "Use an apostrophe as the thousands separator."),
        "is the CHF rule still needed?",
    ),
    (
        ("Use dark mode as the default theme.",),
        "dark mode is broken since the last build, white text on white",
    ),
    (
        ("Send reminders on Mondays.", "Reminders have a friendly tone."),
        "Monday's reminder never arrived, it seems to have been dropped by the mail server",
    ),
    (("Cache API responses for ten minutes.",), "clear the cache and reload"),
    (
        ("Keep Redis as the session store.", "Sessions expire after 30 minutes."),
        "redis is down. cant log in",
    ),
    (
        ("My sister Ana is coming for Christmas.", "Ana doesn't eat fish."),
        "Throw out the fish soup from the Christmas menu and put a pumpkin one there.",
    ),
    (
        ("Never mention competitors by name in the newsletter.",),
        "There's a competitor in paragraph two, delete that sentence",
    ),
    (
        ("Write tests with pytest.", "No network access in tests."),
        "stop the tests, they hang on test_upload",
    ),
    (
        ("Use the staging database for experiments.", "Ask before you touch production."),
        "the staging db is gone?? did someone delete it",
    ),
    (
        ("Emails to customers are signed with 'The Brightwell Team'.",),
        "scrap this email and write a new one, it sounds too cold",
    ),
    (
        ("feature flags are snake_case", "flags live in config/flags.toml"),
        "remove the new_checkout flag, it's been on for everyone since may",
    ),
    (
        ("I run three times a week.", "My knee hurts downhill."),
        "no run today, it's pouring. what could I do indoors instead?",
    ),
    (
        ("Use British spelling.", "Oxford comma always."),
        "You missed the British spelling in 'color', third line from the bottom.",
    ),
    (
        ("Log in JSON.", "Log level in prod is info."),
        "the logging bit is over and done with, on to metrics",
    ),
    (
        ("Only use free fonts on the site.",),
        "Where did I tell you about the free fonts, was it in this project or the other one?",
    ),
    (("Dates are shown as DD.MM.YYYY.",), "date picker doesnt work anymore after ur change"),
    (
        ("Branches are named feature/<ticket>.", "Rebase, don't merge."),
        "delete all the merged feature branches on the remote",
    ),
    (
        ("No meetings before 10.", "Keep Wednesday afternoons free."),
        "The 11 o'clock meeting with Dagmar has been called off, so put the dentist in there.",
    ),
    (
        ("Use Tailwind for all styling.", "No inline styles."),
        "there's an inline style left in Card.tsx, get rid of it",
    ),
    (
        ("Deploy only from the release branch.", "Announce each deploy in #ops."),
        "abort the deploy!!",
    ),
    (
        ("Use Terraform for the infrastructure.", "State is kept in a GCS bucket."),
        "terraform plan says it will destroy the bucket, is that what you meant?",
    ),
    (
        ("Pin all dependencies to exact versions.", "Dependabot PRs get merged on Fridays."),
        "close the dependabot PR for lodash, it's a duplicate",
    ),
    (
        ("Comments in the code are in English.",),
        "the comments you added are useless, take them out of utils.js",
    ),
    (
        ("Use Postgres.", "Primary keys are UUIDs."),
        "truncate the users table in my local postgres, i need a clean start",
    ),
    (
        ("Keep functions below 40 lines.", "Avoid nested ternaries."),
        "The ternary thing in line 88 is what broke it. Revert that line.",
    ),
    (
        ("Every screenshot needs an alt text.",),
        "skip the screenshots in chapter 3, I'll make them myself tonight",
    ),
    (
        ("Prefer composition over inheritance.", "No singletons."),
        "got rid of the singleton in AudioManager, please review",
    ),
    (
        ("Retry on 503 only.",),
        "why was the retry dropped from the client in 2.4? git blame should tell",
    ),
    (("I'm learning Portuguese.", "Give me ten new words a day."), "Enough words for today!"),
    (
        ("Our wedding is on 8 June.", "The guest list is capped at 90."),
        "take uncle Ray off the guest list, he can't make it",
    ),
    (
        ("Images must be WebP.", "Max image width is 1600."),
        "nvm the image question, found it. can you check the upload size",
    ),
    (
        ("Always back up before a migration.", "Migrations run at night."),
        "roll back the last migration, column type was wrong",
    ),
    (
        ("Mask emails in logs.", "Keep logs for 30 days."),
        "What happens if I lift the masking rule, would legal complain? Only asking.",
    ),
    (
        ("Mobile first.", "Breakpoints at 640 and 1024."),
        "Leave the mobile part aside for a minute, the desktop grid needs a look first.",
    ),
    (
        ("Use websockets for live updates.", "Reconnect after two seconds."),
        "disconnect the websocket in the second tab and tell me whether it comes back",
    ),
    (
        ("Bitte keine Anglizismen im Text.", "Der Text soll unter einer Seite bleiben."),
        "Streich den letzten Absatz im Text, der ist zu lang.",
    ),
    (
        ("Preise immer inklusive Mehrwertsteuer anzeigen.",),
        "die mehrwertsteuer ist seit gestern weg aus dem warenkorb, was ist da los?",
    ),
    (
        ("Los informes van en PDF.", "Usa el logo nuevo en los informes."),
        "Borra el informe de marzo, tiene las cifras de febrero.",
    ),
    (("Pregúntame antes de hacer push.",), "no olvides lo del push, que ayer casi la liamos"),
    (
        ("Les tests tournent avec pytest.", "Pas de données réelles dans les tests."),
        "Arrête les tests, ça rame trop sur ma machine.",
    ),
    (
        ("Je suis allergique aux noix.", "On est six à table."),
        "Le truc aux noix, c'est toi qui l'as mis dans le menu ? Enlève-le vite !",
    ),
)
"""Statements, and a message that ends none of them."""
