-- Foundation: the tables of the embedded store, for many teams on one server.
-- Every primary, unique and foreign key starts with the team, so that tables can be spread by it.
-- Times are microseconds since the epoch, UTC. Text compares by its bytes, as in SQLite.

create schema if not exists memoranda;
create table if not exists migration (
  version integer primary key, name text not null, applied_at bigint not null
);
create domain plain as text collate "C";

create table workspace (
  team plain not null,
  id plain not null,
  name plain not null,
  root plain,
  created_at bigint not null,
  primary key (team, id),
  unique (team, name)
);

-- What a workspace is recognised by: its git directory, remote or folder.
create table workspace_alias (
  team plain not null,
  alias plain not null,
  workspace plain not null,
  primary key (team, alias),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
);

create table task (
  team plain not null,
  id plain not null,
  number bigint not null,
  workspace plain not null,
  agent plain not null,
  goal plain not null,
  status plain not null,
  host plain not null,
  session plain not null,
  started_at bigint not null,
  last_event_at bigint not null,
  ended_at bigint,
  observations bigint not null,
  primary key (team, id),
  unique (team, number),
  unique (team, host, session),
  foreign key (team, workspace) references workspace (team, id)
);
create index task_by_time on task (team, workspace, last_event_at);

create table observation (
  team plain not null,
  id plain not null,
  ref plain not null,
  workspace plain not null,
  task plain not null,
  sequence bigint not null,
  type plain not null,
  origin plain not null,
  agent plain not null,
  tool plain,
  summary plain not null,
  tags plain not null,
  files plain not null,
  constraints plain not null,
  salience plain not null,
  tokens bigint not null,
  tokens_used bigint,
  duration_ms bigint,
  stage plain,
  branch plain not null,
  resolves plain,
  repeats plain,
  content_hash plain not null,
  redactions bigint not null,
  created_at bigint not null,
  recorded_at bigint not null,
  format plain not null,
  source plain not null,
  event_key plain not null,
  target plain,
  primary key (team, id),
  unique (team, ref),
  unique (team, task, sequence),
  unique (team, event_key),
  foreign key (team, task) references task (team, id)
) partition by hash (team);
create index observation_by_content on observation (team, content_hash, task, sequence);
create index observation_by_repeat on observation (team, repeats) where repeats is not null;
create index observation_by_salience on observation (team, task, salience, sequence)
  where salience = 'critical';

-- Tags and files, for exact filters; the observation row holds the same lists for reading.
create table observation_ref (
  team plain not null,
  kind plain not null,
  value plain not null,
  observation plain not null,
  primary key (team, observation, kind, value)
) partition by hash (team);

-- Errors that nothing has ended yet: one for each target of a task.
create table open_error (
  team plain not null,
  task plain not null,
  target plain not null,
  observation plain not null,
  primary key (team, task, target),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- Full contents, compressed, addressed by the SHA-256 of the text: equal text is kept once.
create table blob (
  team plain not null,
  hash plain not null,
  codec plain not null,
  size bigint not null,
  data bytea not null,
  primary key (team, hash)
) partition by hash (team);
alter table blob alter column data set storage external; -- compressed already

-- How many secrets and private spans were taken out, never what they were.
create table redaction (
  team plain not null,
  task plain not null,
  rule plain not null,
  count bigint not null,
  primary key (team, task, rule),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- Keys of forgotten events, so that importing their transcript again does not bring them back.
create table tombstone (
  team plain not null,
  event_key plain not null,
  forgotten_at bigint not null,
  primary key (team, event_key)
);

create table memory (
  team plain not null,
  id plain not null,
  workspace plain,
  agent plain,
  visibility plain not null,
  title plain not null,
  content plain not null,
  kind plain not null,
  category plain not null,
  tags plain not null,
  origin plain not null,
  confidence double precision not null,
  critical bigint not null,
  critical_reason plain,
  protected bigint not null,
  status plain not null,
  tokens bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  content_hash plain not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id)
) partition by hash (team);
create index memory_by_scope on memory (team, workspace, status, critical);
create index memory_by_content on memory (team, content_hash);

create table memory_evidence (
  team plain not null,
  memory plain not null,
  observation plain not null,
  primary key (team, memory, observation),
  foreign key (team, memory) references memory (team, id) on delete cascade
) partition by hash (team);

create table journal (
  team plain not null,
  sequence bigint not null,
  at bigint not null,
  actor plain not null,
  operation plain not null,
  subject plain not null,
  detail plain not null,
  previous plain not null,
  hash plain not null,
  primary key (team, sequence)
) partition by hash (team);

create table journal_head (
  team plain not null primary key,
  sequence bigint not null,
  hash plain not null
);

create function keep_the_journal() returns trigger language plpgsql as $$
begin
  raise exception 'the journal is append-only';
end $$;
create trigger journal_keeps_its_entries before update or delete on journal
  for each row execute function keep_the_journal();

create table job (
  team plain not null,
  id plain not null,
  kind plain not null,
  subject plain not null,
  state plain not null,
  attempts bigint not null,
  run_at bigint not null,
  lease_until bigint,
  lease_owner plain,
  error plain,
  created_at bigint not null,
  ended_at bigint,
  primary key (team, id)
);
create index job_by_time on job (team, state, run_at);
create index job_by_subject on job (team, kind, subject, state);

-- How far each transcript has been read.
create table transcript (
  team plain not null,
  path plain not null,
  head_hash plain not null,
  read_offset bigint not null,
  read_at bigint not null,
  primary key (team, path)
);

-- Writes that were committed in the last hour: what a caller asks whose connection broke meanwhile.
-- (The number of a transaction will not do: after a crash the server may give it out again.)
create table committed (
  team plain not null,
  id uuid not null,
  at timestamptz not null default now(),
  primary key (team, id)
);

-- Full text, beside the rows it stands for. No stop words: people look for "not" and "and" too.
create text search dictionary stems (template = snowball, language = english);
create text search configuration prose (copy = pg_catalog.english);
alter text search configuration prose
  alter mapping for asciiword, word, numword with stems;

create table observation_text (
  team plain not null,
  id plain not null,
  workspace plain not null,
  task plain not null,
  words tsvector not null,
  identifiers plain not null, -- in lower case, one on each line
  primary key (team, id),
  foreign key (team, id) references observation (team, id) on delete cascade
) partition by hash (team);
create index observation_text_by_word on observation_text using gin (words);
create index observation_text_by_part on observation_text
  using gin ((identifiers::text) gin_trgm_ops);

create table memory_text (
  team plain not null,
  id plain not null,
  workspace plain,
  task plain,
  words tsvector not null,
  identifiers plain not null,
  primary key (team, id),
  foreign key (team, id) references memory (team, id) on delete cascade
) partition by hash (team);
create index memory_text_by_word on memory_text using gin (words);
create index memory_text_by_part on memory_text using gin ((identifiers::text) gin_trgm_ops);

-- Partitions by the hash of the team; how many is decided once, when the database is made.
do $$
declare
  parent regclass;
  parts int := current_setting('memoranda.partitions')::int;
begin
  for parent in
    select c.oid::regclass from pg_class c
    where c.relkind = 'p' and c.relnamespace = current_schema()::regnamespace
  loop
    for part in 0 .. parts - 1 loop
      execute format('create table %I partition of %s for values with (modulus %s, remainder %s)',
        parent::text || '_' || part, parent, parts, part);
    end loop;
  end loop;
end $$;

-- What a session may see: the rows of the team it says it is for. Unset or empty: none.
create function protect(protected regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('create policy team_only on %s using (team = current_setting(''memoranda.team'', '
    'true)) with check (team = current_setting(''memoranda.team'', true))', protected);
end $$;

do $$
declare
  tenant regclass;
begin
  for tenant in
    select c.oid::regclass from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'team'
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
  loop
    perform protect(tenant);
  end loop;
end $$;

-- Searches that keep the index usable: under a policy, PostgreSQL trusts no operator of full text
-- to be run on rows that the policy might hide. A role of its own, which nobody can become, reads
-- all rows of the two text tables; its functions look at the team first.
create policy searched on observation_text for select to memoranda_search using (true);
create policy searched on memory_text for select to memoranda_search using (true);
grant usage on schema memoranda to memoranda_search;
grant select on observation_text, memory_text to memoranda_search;

create function phrases(wanted text[]) returns tsquery language sql immutable
set search_path = memoranda, pg_catalog as $$
  select coalesce(string_agg(phraseto_tsquery('prose', phrase)::text, ' | ')
    filter (where numnode(phraseto_tsquery('prose', phrase)) > 0), '')::tsquery
  from unnest(wanted) as phrase
$$;

create function search_observations(
  of_team text, in_workspace text, in_task text, wanted text[], parts text[], most int
) returns table (found text, score real) language plpgsql stable security definer
set search_path = memoranda, public, pg_catalog, pg_temp as $$
declare
  query tsquery := phrases(wanted);
begin
  if of_team is distinct from current_setting('memoranda.team', true) then
    return;
  end if;
  return query
    select hit.id::text, sum(hit.score)::real as total from (
      select t.id, ts_rank_cd(t.words, query, 1) as score from observation_text t
      where numnode(query) > 0 and t.team = of_team and t.words @@ query
        and (in_workspace is null or t.workspace = in_workspace)
        and (in_task is null or t.task = in_task)
      union all
      select t.id, 1 / (1 + ln(1 + length(t.identifiers)))
      from unnest(parts) as part
      join observation_text t on t.identifiers::text like part
      where t.team = of_team
        and (in_workspace is null or t.workspace = in_workspace)
        and (in_task is null or t.task = in_task)
    ) as hit group by hit.id order by total desc, hit.id limit most;
end $$;

create function search_memories(
  of_team text, in_workspace text, wanted text[], parts text[], most int
) returns table (found text, score real) language plpgsql stable security definer
set search_path = memoranda, public, pg_catalog, pg_temp as $$
declare
  query tsquery := phrases(wanted);
begin
  if of_team is distinct from current_setting('memoranda.team', true) then
    return;
  end if;
  return query
    select hit.id::text, sum(hit.score)::real as total from (
      select t.id, ts_rank_cd(t.words, query, 1) as score from memory_text t
      where numnode(query) > 0 and t.team = of_team and t.words @@ query
        and (in_workspace is null or t.workspace is null or t.workspace = in_workspace)
      union all
      select t.id, 1 / (1 + ln(1 + length(t.identifiers)))
      from unnest(parts) as part
      join memory_text t on t.identifiers::text like part
      where t.team = of_team
        and (in_workspace is null or t.workspace is null or t.workspace = in_workspace)
    ) as hit group by hit.id order by total desc, hit.id limit most;
end $$;

grant create on schema memoranda to memoranda_search; -- an owner of functions must have it
alter function search_observations owner to memoranda_search;
alter function search_memories owner to memoranda_search;
revoke create on schema memoranda from memoranda_search;
revoke all on function search_observations, search_memories from public;
grant execute on function search_observations, search_memories to memoranda_app;

grant usage on schema memoranda to memoranda_app;
grant select, insert, update, delete on all tables in schema memoranda to memoranda_app;
revoke update, delete on journal from memoranda_app;
revoke insert, update, delete on migration from memoranda_app;
