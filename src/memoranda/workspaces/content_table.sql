-- memories: memories of a workspace, including private ones
select id from memory where team = :team and workspace = :workspace order by id

-- tasks: tasks of a workspace
select id from task where team = :team and workspace = :workspace order by id

-- contents: values of its blocks and documents that are not in tasks
select v.value_hash from block b
join block_version v on v.team = b.team and v.block = b.id
where b.team = :team and b.workspace = :workspace
union select value_hash from document where team = :team and workspace = :workspace

-- drop_jobs: delete waiting jobs of a workspace
delete from job where team = :team and subject = :workspace and state = 'pending'
