-- The first answers to requests over HTTP, so that one that is repeated is not carried out twice.

create table kept_answer (
  team text not null,
  caller text not null,
  key text not null, -- as the caller made it up
  request_hash text not null,
  status integer, -- null: begun, not finished
  body text, -- null: not finished, too large, or cleared because something was forgotten
  created_at integer not null,
  primary key (team, caller, key)
) strict;
create index kept_answer_by_time on kept_answer (team, created_at);
