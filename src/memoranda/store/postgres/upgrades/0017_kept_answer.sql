-- The first responses to HTTP requests, so that a repeated request is not carried out twice.

create table kept_answer (
  team plain not null,
  caller plain not null,
  key plain not null, -- as chosen by the caller
  request_hash plain not null,
  status integer, -- null if begun but not finished
  body plain, -- null if not finished, too large, or cleared because something was forgotten
  created_at bigint not null,
  primary key (team, caller, key)
);
create index kept_answer_by_time on kept_answer (team, created_at);

select protect('kept_answer');
grant select, insert, update, delete on kept_answer to memoranda_app;
