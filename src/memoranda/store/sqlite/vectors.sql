-- put: a vector, unsealed; unless it was made of another text
update passage set model = :model, vector = :vector, block = null
where team = :team and source = :source and place = :place
  and (:text_hash is null or text_hash = :text_hash)

-- sealed: blocks that hold the signs of some passages
select distinct block from passage where team = :team and block is not null
  and source in (select value from json_each(:sources))

-- sealed_places: the same for single passages
select distinct p.block from json_each(:places) as wanted
cross join passage as p indexed by passage_by_source
  on p.team = :team and p.source = wanted.value ->> 0 and p.place = wanted.value ->> 1
where p.block is not null

-- remove: the passages of records
delete from passage where team = :team and source in (select value from json_each(:sources))

-- known: vectors that a model made for some texts
select text_hash, vector from passage where team = :team and model = :model
  and text_hash in (select value from json_each(:hashes)) and vector is not null

-- of_sources: the vectors of records
select p.source, p.place, p.vector from json_each(:sources) as wanted
cross join passage as p indexed by passage_by_source
  on p.team = :team and p.source = wanted.value
where p.model = :model and p.vector is not null

-- in_scope: the same, those in scope
select p.source, p.place, p.vector from json_each(:sources) as wanted
cross join passage as p indexed by passage_by_source
  on p.team = :team and p.source = wanted.value
where p.model = :model and p.vector is not null
  and (:workspace is null or p.workspace is null or p.workspace = :workspace)
  and (:task is null or p.task is null or p.task = :task)

-- docids: how the passages of records are called in blocks
select p.docid from json_each(:sources) as wanted
cross join passage as p indexed by passage_by_source
  on p.team = :team and p.source = wanted.value
where p.model = :model and p.block is not null

-- of_docids: vectors of sealed passages, those in scope
select p.source, p.place, p.vector from json_each(:docids) as wanted
cross join passage as p on p.docid = wanted.value
where p.team = :team and p.model = :model
  and (:workspace is null or p.workspace is null or p.workspace = :workspace)
  and (:task is null or p.task is null or p.task = :task)

-- tail: vectors that no block holds yet, those in scope
select source, place, vector from passage
where team = :team and model = :model and block is null and vector is not null
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (:task is null or task is null or task = :task)

-- in_block: vectors of a block, those in scope
select source, place, vector from passage
where team = :team and model = :model and block = :block
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (:task is null or task is null or task = :task)

-- full_tails: workspaces with so much unsealed that it is time to seal
select coalesce(workspace, '') from passage
where team = :team and model = :model and block is null and vector is not null
group by workspace having count(*) >= :enough

-- tail_of: what is unsealed in one workspace, oldest first
select docid, vector from passage
where team = :team and model = :model and coalesce(workspace, '') = :workspace
  and block is null and vector is not null order by docid

-- blocks: the blocks of a scope, oldest first, and what was subtracted before signs were taken
select id, checksum, mean from vector_block join vector_centre using (team, model)
where team = :team and model = :model
  and (:workspace is null or workspace in ('', :workspace)) order by id

-- open_block: the block of a workspace that has room left
select id from vector_block where team = :team and model = :model and workspace = :workspace
  and size < :full order by id desc limit 1

-- block: one block
select model, workspace, docids, codes from vector_block where id = :id

-- add_block: signs of vectors
insert into vector_block (team, model, workspace, size, docids, codes, checksum)
values (:team, :model, :workspace, :size, :docids, :codes, :checksum)
returning id

-- seal: passages that a block holds
update passage set block = :block where docid in (select value from json_each(:docids))

-- drop_block: a block that another takes the place of
delete from vector_block where id = :id

-- members: what passages say a block holds
select docid, vector from passage where team = :team and block = :block order by docid

-- unseal: all passages of a team
update passage set block = null where team = :team and block is not null

-- drop_blocks: all blocks of a team
delete from vector_block where team = :team

-- drop_centres: what was subtracted
delete from vector_centre where team = :team

-- centre: what is subtracted before signs are taken
select mean from vector_centre where team = :team and model = :model

-- add_centre: what is subtracted from now on
insert into vector_centre (team, model, mean) values (:team, :model, :mean)

-- models: which models made vectors
select distinct model from passage where team = :team and model <> ''

-- page: passages with their vectors, in order
select source, place, workspace, task, text_hash, model, vector from passage
where team = :team and (source, place) > (:source, :place) order by source, place limit :limit
