-- put: store vectors of existing passages, replacing any; not if the text has changed
update passage set vector = new.vector::halfvec, model = :model
from unnest(:sources::text[], :places::bigint[], :vectors::text[], :hashes::text[])
  as new (source, place, vector, text_hash)
where passage.team = :team and passage.source = new.source and passage.place = new.place
  and (new.text_hash is null or passage.text_hash = new.text_hash)

-- count: number of passages in a scope, up to a limit, from a covering index
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

-- compare: compare every passage of a scope, reading a workspace's from an index, without using a graph
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

-- compare_among: compare the passages of some records
select source::text, place, 1 - (vector <=> :vector::halfvec) as score from passage
where team = :team and source in :sources[] and model = :model and dimensions = :dimensions
  and (:workspace::text is null or workspace is null or workspace = :workspace)
  and (:task::text is null or task is null or task = :task)
order by score desc, source, place limit :limit

-- prepare: set the search width of a graph, and whether the planner may sort instead
select set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.ef_search', :width::text, true), set_config('enable_sort', :sort, true)

-- walk: search the graph for this length until enough passages are in scope; nearly in order
select source::text, place,
  1 - ((vector::halfvec(:dimensions)) <=> :vector::halfvec(:dimensions)) as score
from passage
where team = :team and model = :model and dimensions = :dimensions
  and (:workspace::text is null or workspace is null or workspace = :workspace)
  and (:task::text is null or task is null or task = :task)
order by (vector::halfvec(:dimensions)) <=> :vector::halfvec(:dimensions) limit :limit

-- known: vectors by text hash, big-endian after two 2-byte numbers
select distinct on (text_hash) text_hash::text, halfvec_send(vector) from passage
where team = :team and model = :model and text_hash in :hashes[]
order by text_hash

-- page: passages with their vectors, in order
select source::text, place, workspace::text, task::text, text_hash::text, model::text,
  halfvec_send(vector)
from passage where team = :team and (source, place) > (:source, :place)
order by source, place limit :limit

-- remove: delete passages of records
delete from passage where team = :team and source in :sources[]
