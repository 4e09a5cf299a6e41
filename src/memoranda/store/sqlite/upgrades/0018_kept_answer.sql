-- The first responses to HTTP requests, so that a repeated request is not carried out twice.

create table kept_answer (
  team text not null,
  caller text not null,
  key text not null, -- as chosen by the caller
  request_hash text not null,
  status integer, -- null if begun but not finished
  body text, -- null if not finished, too large, or cleared because something was forgotten
  created_at integer not null,
  primary key (team, caller, key)
) strict;
create index kept_answer_by_time on kept_answer (team, created_at);
