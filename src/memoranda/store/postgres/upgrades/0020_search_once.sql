-- Searches of large stores that read each row once.

-- The passages of a workspace in adjacent index entries, with vectors: comparing all of them takes a third
-- of the time that it takes to pick them out of the table. It is as large as the table, 1.1 kB for a
-- passage of 384 numbers. Longer vectors than these have no room in an index.
create index passage_in_scope on passage (team, model, workspace)
include (source, place, task, dimensions, vector) where dimensions <= 768;

-- As before, except that a search for words alone needs no aggregation, since each row is found once:
-- aggregating tens of thousands of rows took longer than ranking them.
drop function search_observations(text, text, text, text[], text[], int);
drop function search_memories(text, text, text[], text[], int);

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
  if cardinality(parts) = 0 then
    return query
      select t.id::text, ts_rank_cd(t.words, query, 1) as rank from observation_text t
      where numnode(query) > 0 and t.team = of_team and t.words @@ query
        and (in_workspace is null or t.workspace = in_workspace)
        and (in_task is null or t.task = in_task)
      order by rank desc, t.id limit most;
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
  if cardinality(parts) = 0 then
    return query
      select t.id::text, ts_rank_cd(t.words, query, 1) as rank from memory_text t
      where numnode(query) > 0 and t.team = of_team and t.words @@ query
        and (in_workspace is null or t.workspace is null or t.workspace = in_workspace)
      order by rank desc, t.id limit most;
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

grant create on schema memoranda to memoranda_search; -- required for the owner of the functions
alter function search_observations owner to memoranda_search;
alter function search_memories owner to memoranda_search;
revoke create on schema memoranda from memoranda_search;
revoke all on function search_observations, search_memories from public;
grant execute on function search_observations, search_memories to memoranda_app;
