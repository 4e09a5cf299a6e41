-- put: vectors of passages that are there, whatever made the ones before; not those of another text
update passage set vector = new.vector::halfvec, model = :model
from unnest(:sources::text[], :places::bigint[], :vectors::text[], :hashes::text[])
  as new (source, place, vector, text_hash)
where passage.team = :team and passage.source = new.source and passage.place = new.place
  and (new.text_hash is null or passage.text_hash = new.text_hash)

-- count: how many passages a scope has, as far as it matters; from an index alone
select count(*) from (
  select from passage where team = :team and model = :model
    and (:workspace::text is null or workspace = :workspace)
    and (:task::text is null or task is null or task = :task)
  union all
  select from passage where team = :team and model = :model
    and :workspace::text is not null and workspace is null
    and (:task::text is null or task is null or task = :task)
  limit :most
) as scoped

-- compare: every passage of a scope, those of a workspace from an index alone; so that no graph fits
select source::text, place, 1 - (vector <=> :vector::halfvec) as score from (
  select source, place, vector from passage
  where team = :team and model = :model and dimensions = :dimensions
    and (:workspace::text is null or workspace = :workspace)
    and (:task::text is null or task is null or task = :task)
  union all
  select source, place, vector from passage
  where team = :team and model = :model and dimensions = :dimensions
    and :workspace::text is not null and workspace is null
    and (:task::text is null or task is null or task = :task)
) as scoped
order by score desc, source, place limit :limit

-- compare_among: passages of some records
select source::text, place, 1 - (vector <=> :vector::halfvec) as score from passage
where team = :team and source in :sources[] and model = :model and dimensions = :dimensions
  and (:workspace::text is null or workspace is null or workspace = :workspace)
  and (:task::text is null or task is null or task = :task)
order by score desc, source, place limit :limit

-- prepare: how far to walk along a graph, and whether the planner may sort instead of walking
select set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.ef_search', :width::text, true), set_config('enable_sort', :sort, true)

-- walk: along the graph of this length, on until there are enough of the scope; nearly in order
select source::text, place,
  1 - ((vector::halfvec(:dimensions)) <=> :vector::halfvec(:dimensions)) as score
from passage
where team = :team and model = :model and dimensions = :dimensions
  and (:workspace::text is null or workspace is null or workspace = :workspace)
  and (:task::text is null or task is null or task = :task)
order by (vector::halfvec(:dimensions)) <=> :vector::halfvec(:dimensions) limit :limit

-- known: vectors by the hash of their text, big-endian after two numbers of two bytes
select distinct on (text_hash) text_hash::text, halfvec_send(vector) from passage
where team = :team and model = :model and text_hash in :hashes[]
order by text_hash

-- page: passages with their vectors, in order
select source::text, place, workspace::text, task::text, text_hash::text, model::text,
  halfvec_send(vector)
from passage where team = :team and (source, place) > (:source, :place)
order by source, place limit :limit

-- remove: passages of records
delete from passage where team = :team and source in :sources[]
