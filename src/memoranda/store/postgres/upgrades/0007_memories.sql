-- Source, validity and number of uses of a memory.

alter table memory add column source plain not null default 'manual';
alter table memory add column approved_by plain;
alter table memory add column valid_from bigint;
alter table memory add column valid_until bigint;
alter table memory add column superseded_by plain; -- a memory, which may no longer exist
alter table memory add column uses bigint not null default 0;
alter table memory add column last_used bigint;
