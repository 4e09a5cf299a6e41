-- workspaces: selected workspaces
(:narrow = 0 or id in :workspaces[])

-- agents: selected agents
(:narrow = 0 or id in :agents[])

-- tasks: selected tasks
(:workspace is null or workspace = :workspace) and (:agent is null or id in :tasks[])

-- stages: selected stages
(:narrow = 0 or task in :tasks[])

-- stage_tracking: selected states of stage tracking
(:narrow = 0 or task in :tasks[])

-- observations: selected observations
(:workspace is null or workspace = :workspace) and (:agent is null or task in :tasks[])

-- memories: selected memories; for an agent, its own
(:workspace is null or workspace = :workspace)
  and (:agent is null or (visibility = 'agent' and agent = :agent))

-- memory_versions: versions of the selected memories
memory in (select id from memory where team = :team
  and (:workspace is null or workspace = :workspace)
  and (:agent is null or (visibility = 'agent' and agent = :agent)))

-- blocks: selected blocks
(:narrow = 0 or id in :blocks[])

-- block_versions: selected versions of blocks
(:narrow = 0 or block in :blocks[])

-- holders: selected holders of blocks; for an agent, only itself
(:narrow = 0 or block in :blocks[]) and (:agent is null or agent = :agent)

-- checkpoints: selected checkpoints
(:narrow = 0 or task in :tasks[])

-- task_states: selected states of tasks
(:narrow = 0 or task in :tasks[])

-- compactions: selected compactions
(:narrow = 0 or task in :tasks[])

-- aliases: aliases of workspaces
select workspace, alias from workspace_alias
where team = :team and workspace in :ids[] order by workspace, alias

-- redactions: redaction counts of tasks
select task, rule, count from redaction where team = :team and task in :ids[]

-- evidence: evidence of memories
select memory, observation from memory_evidence
where team = :team and memory in :ids[] order by memory, observation

-- open: unresolved errors of tasks
select observation, target from open_error
where team = :team and task in :tasks[] and observation in :ids[] order by target

-- checkpoint_blocks: blocks of checkpoints, without unselected ones
select checkpoint, block, version, size_limit from checkpoint_block
where team = :team and checkpoint in :ids[] and (:narrow = 0 or block in :blocks[])
order by checkpoint, block

-- contents: some contents
select hash, codec, data from blob where team = :team and hash in :hashes[]

-- sizes: sizes of contents
select hash, size from blob where team = :team and hash in :hashes[]
