-- Indexes and totals that keep pages and lists fast with a hundred thousand observations.

-- Totals of the observations of a task, updated by the triggers below in the transaction of each
-- write, so that no reader has to add them up.
create table task_total (
  team text not null,
  workspace text not null,
  task text not null,
  observations integer not null, -- existing observations; without any, there is no row
  folded integer not null,
  tokens integer not null, -- tokens of the contents
  redactions integer not null,
  summary_characters integer not null,
  primary key (team, workspace, task)
) strict, without rowid;

insert into task_total
select team, workspace, task, count(*), count(repeats), sum(tokens), sum(redactions),
  sum(length(summary))
from observation group by team, workspace, task;

create trigger observation_counts after insert on observation begin
  insert into task_total values (new.team, new.workspace, new.task, 1, new.repeats is not null,
    new.tokens, new.redactions, length(new.summary))
  on conflict (team, workspace, task) do update set observations = observations + 1,
    folded = folded + excluded.folded, tokens = tokens + excluded.tokens,
    redactions = redactions + excluded.redactions,
    summary_characters = summary_characters + excluded.summary_characters;
end;

create trigger observation_counts_no_more after delete on observation begin
  update task_total set observations = observations - 1,
    folded = folded - (old.repeats is not null), tokens = tokens - old.tokens,
    redactions = redactions - old.redactions,
    summary_characters = summary_characters - length(old.summary)
  where team = old.team and workspace = old.workspace and task = old.task;
  delete from task_total
  where team = old.team and workspace = old.workspace and task = old.task and observations = 0;
end;

create trigger observation_counts_otherwise
after update of repeats on observation
when (old.repeats is null) <> (new.repeats is null) begin
  update task_total set folded = folded + (new.repeats is not null) - (old.repeats is not null)
  where team = new.team and workspace = new.workspace and task = new.task;
end;

-- Totals of the contents of a team, updated in the same way.
create table content_total (
  team text not null,
  part integer not null, -- always 0; on servers there are several, so that writers do not wait for each other
  contents integer not null,
  characters integer not null,
  bytes integer not null,
  primary key (team, part)
) strict, without rowid;

insert into content_total
select team, 0, count(*), sum(size), sum(length(data)) from blob group by team;

create trigger blob_counts after insert on blob begin
  insert into content_total values (new.team, 0, 1, new.size, length(new.data))
  on conflict (team, part) do update set contents = contents + 1,
    characters = characters + excluded.characters, bytes = bytes + excluded.bytes;
end;

create trigger blob_counts_no_more after delete on blob begin
  update content_total set contents = contents - 1, characters = characters - old.size,
    bytes = bytes - length(old.data)
  where team = old.team and part = 0;
end;

-- For the newest observations of a workspace, and their number since a time.
create index observation_by_recording on observation (team, workspace, recorded_at, id);
-- For observations of one type in a task, in order, and for counting them without reading rows.
create index observation_in_task_by_type on observation (team, task, type, sequence);
-- For the errors of a team, newest first, and for their resolutions.
create index observation_errors on observation (team, id) where type = 'error';
create index observation_by_resolution on observation (team, resolves) where resolves is not null;

-- For the operations on a subject, and for operations by kind except captures, the most frequent kind.
create index journal_by_subject on journal (team, subject, sequence, operation);
create index journal_by_operation on journal (team, operation, sequence)
where operation <> 'observe';
