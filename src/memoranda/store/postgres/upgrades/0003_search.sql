-- Search data of a record besides its full-text entry; all of it can be recreated from the record.
create table entry (
  team plain not null,
  source plain not null, -- id of the observation or memory
  kind plain not null,
  workspace plain,
  task plain,
  position bigint not null, -- position within the task
  place plain not null, -- sort key of task and position; without a task, the source
  at bigint not null,
  standing bigint not null, -- 1: a standing instruction, 2: a preference
  version bigint not null, -- version of the analysis
  features bytea not null,
  primary key (team, source)
) partition by hash (team);
create index entry_by_place on entry (team, place);
create index entry_standing on entry (team, standing, source) where standing > 0;

-- The passages of a record, each with a vector. Vectors of several models, and thus of several
-- lengths, are in one column.
create table passage (
  team plain not null,
  source plain not null,
  place bigint not null,
  workspace plain,
  task plain,
  text_hash plain not null,
  model plain not null, -- model that computed the vector; empty if there is no vector
  vector halfvec,
  dimensions integer generated always as (vector_dims(vector)) stored,
  primary key (team, source, place),
  foreign key (team, source) references entry (team, source) on delete cascade
) partition by hash (team);
create index passage_by_text on passage (team, model, text_hash);
create index passage_by_scope on passage (team, model, workspace, task);

-- Ratings of search hits.
create table rating (
  team plain not null,
  source plain not null,
  useful bigint not null,
  useless bigint not null,
  rated_at bigint not null,
  primary key (team, source)
);

-- Speakers in conversations between several people.
create table speaker (
  team plain not null,
  workspace plain not null,
  name plain not null,
  primary key (team, workspace, name)
);

-- As many partitions as the tables that were created with the database.
do $$
declare
  parent regclass;
  parts int := (select count(*) from pg_inherits where inhparent = 'observation'::regclass);
begin
  foreach parent in array array['entry', 'passage']::regclass[] loop
    for part in 0 .. parts - 1 loop
      execute format('create table %I partition of %s for values with (modulus %s, remainder %s)',
        parent::text || '_' || part, parent, parts, part);
    end loop;
  end loop;
end $$;

-- One graph for each common length; unused ones are empty and cost a write almost nothing.
do $$
declare
  size int;
begin
  foreach size in array array[256, 384, 512, 768, 1024, 1536, 3072] loop
    execute format('create index passage_near_%s on passage using hnsw '
      '((vector::halfvec(%s)) halfvec_cosine_ops) with (m = 16, ef_construction = 64) '
      'where dimensions = %s', size, size, size);
  end loop;
end $$;

select protect('entry');
select protect('passage');
select protect('rating');
select protect('speaker');
grant select, insert, update, delete on entry, passage, rating, speaker to memoranda_app;

-- Exact filters of a search.
create index observation_by_type on observation (team, workspace, type, id);

-- Totals of a task's observations, so that a context does not have to compute them.
alter table task add column tokens bigint not null default 0;
update task set tokens = (
  select coalesce(sum(o.tokens), 0) from observation o
  where o.team = task.team and o.task = task.id);

-- Document frequency of words in observations and memories. Counting stops at a number that every
-- common word reaches, so that the most common words cost no more than others.
create function count_words(of_team text, of_kind text, wanted text[], most int)
returns table (word text, records bigint) language plpgsql stable security definer
set search_path = memoranda, public, pg_catalog, pg_temp as $$
begin
  if of_team is distinct from current_setting('memoranda.team', true) then
    return;
  end if;
  return query
    select w.word, case of_kind
      when 'observation' then (select count(*) from (select 1 from observation_text t
        where t.team = of_team and t.words @@ w.query limit most) as seen)
      else (select count(*) from (select 1 from memory_text t
        where t.team = of_team and t.words @@ w.query limit most) as stated) end
    from (select one as word, phraseto_tsquery('prose', one) as query from unnest(wanted) as one)
      as w where numnode(w.query) > 0;
end $$;

grant create on schema memoranda to memoranda_search;
alter function count_words owner to memoranda_search;
revoke create on schema memoranda from memoranda_search;
revoke all on function count_words from public;
grant execute on function count_words to memoranda_app;
