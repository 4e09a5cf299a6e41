-- The labelled parts of a message of a person; none until the network has read it.
alter table entry add column labels text;
