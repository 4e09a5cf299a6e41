-- Source, validity and number of uses of a memory.

alter table memory add column source text not null default 'manual';
alter table memory add column approved_by text;
alter table memory add column valid_from integer;
alter table memory add column valid_until integer;
alter table memory add column superseded_by text; -- a memory, which may no longer exist
alter table memory add column uses integer not null default 0;
alter table memory add column last_used integer;
