-- put: store an unsealed vector, unless the text has changed
update passage set model = :model, vector = :vector, block = null
where team = :team and source = :source and place = :place
  and (:text_hash is null or text_hash = :text_hash)

-- sealed: blocks with the sign bits of some passages
select distinct block from passage where team = :team and block is not null
  and source in (select value from json_each(:sources))

-- sealed_places: the same for single passages
select distinct p.block from json_each(:places) as wanted
cross join passage as p indexed by passage_by_source
  on p.team = :team and p.source = wanted.value ->> 0 and p.place = wanted.value ->> 1
where p.block is not null

-- remove: delete the passages of records
delete from passage where team = :team and source in (select value from json_each(:sources))

-- known: vectors of a model for some texts
select text_hash, vector from passage where team = :team and model = :model
  and text_hash in (select value from json_each(:hashes)) and vector is not null

-- of_sources: the vectors of records
select p.source, p.place, p.vector from json_each(:sources) as wanted
cross join passage as p indexed by passage_by_source
  on p.team = :team and p.source = wanted.value
where p.model = :model and p.vector is not null

-- in_scope: the same within a scope
select p.source, p.place, p.vector from json_each(:sources) as wanted
cross join passage as p indexed by passage_by_source
  on p.team = :team and p.source = wanted.value
where p.model = :model and p.vector is not null
  and (:workspace is null or p.workspace is null or p.workspace = :workspace)
  and (:task is null or p.task is null or p.task = :task)

-- docids: ids of the passages of records in blocks
select p.docid from json_each(:sources) as wanted
cross join passage as p indexed by passage_by_source
  on p.team = :team and p.source = wanted.value
where p.model = :model and p.block is not null

-- of_docids: vectors of sealed passages in scope
select p.source, p.place, p.vector from json_each(:docids) as wanted
cross join passage as p on p.docid = wanted.value
where p.team = :team and p.model = :model
  and (:workspace is null or p.workspace is null or p.workspace = :workspace)
  and (:task is null or p.task is null or p.task = :task)

-- tail: vectors in scope that are not in a block yet
select source, place, vector from passage
where team = :team and model = :model and block is null and vector is not null
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (:task is null or task is null or task = :task)

-- in_block: vectors of a block in scope
select source, place, vector from passage
where team = :team and model = :model and block = :block
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (:task is null or task is null or task = :task)

-- full_tails: workspaces with enough unsealed vectors to seal them
select coalesce(workspace, '') from passage
where team = :team and model = :model and block is null and vector is not null
group by workspace having count(*) >= :enough

-- tail_of: unsealed vectors of one workspace, oldest first
select docid, vector from passage
where team = :team and model = :model and coalesce(workspace, '') = :workspace
  and block is null and vector is not null order by docid

-- blocks: blocks in a scope, oldest first, with the vector subtracted before taking sign bits
select id, checksum, mean from vector_block join vector_centre using (team, model)
where team = :team and model = :model
  and (:workspace is null or workspace in ('', :workspace)) order by id

-- open_block: block of a workspace that has space left
select id from vector_block where team = :team and model = :model and workspace = :workspace
  and size < :full order by id desc limit 1

-- block: one block
select model, workspace, docids, codes from vector_block where id = :id

-- add_block: insert sign bits of vectors
insert into vector_block (team, model, workspace, size, docids, codes, checksum)
values (:team, :model, :workspace, :size, :docids, :codes, :checksum)
returning id

-- seal: assign passages to a block
update passage set block = :block where docid in (select value from json_each(:docids))

-- drop_block: delete a block that was replaced
delete from vector_block where id = :id

-- members: passages assigned to a block
select docid, vector from passage where team = :team and block = :block order by docid

-- unseal: unassign all passages of a team from blocks
update passage set block = null where team = :team and block is not null

-- drop_blocks: all blocks of a team
delete from vector_block where team = :team

-- drop_centres: delete the subtracted vectors
delete from vector_centre where team = :team

-- centre: vector subtracted before taking sign bits
select mean from vector_centre where team = :team and model = :model

-- add_centre: insert the vector to be subtracted
insert into vector_centre (team, model, mean) values (:team, :model, :mean)

-- models: models with vectors
select distinct model from passage where team = :team and model <> ''

-- page: passages with their vectors, in order
select source, place, workspace, task, text_hash, model, vector from passage
where team = :team and (source, place) > (:source, :place) order by source, place limit :limit
