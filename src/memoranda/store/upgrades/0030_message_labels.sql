-- The labelled parts of a person's message; null until the network has processed it.
alter table entry add column labels text;
