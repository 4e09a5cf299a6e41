-- add_observation: insert the full-text entry of an observation
insert into observation_text (team, id, workspace, task, words, identifiers)
values (:team, :id, :workspace, :task, to_tsvector('prose', :words), :identifiers)

-- add_memory: insert the full-text entry of a memory
insert into memory_text (team, id, workspace, task, words, identifiers)
values (:team, :id, :workspace, :task, to_tsvector('prose', :words), :identifiers)

-- remove_observation: delete entries of rows to be deleted
delete from observation_text where team = :team and id in :ids[]

-- remove_memory: delete entries of rows to be deleted
delete from memory_text where team = :team and id in :ids[]

-- search_observation: search with a function that is not slowed down by the table's policies
select found, score from search_observations(:team, :workspace, :task,
  array(select jsonb_array_elements_text(:words::jsonb)),
  array(select jsonb_array_elements_text(:parts::jsonb)), :limit)

-- search_memory: search with a function that is not slowed down by the table's policies
select found, score from search_memories(:team, :workspace,
  array(select jsonb_array_elements_text(:words::jsonb)),
  array(select jsonb_array_elements_text(:parts::jsonb)), :limit)

-- containing_observation: records that contain every word
select t.id from observation_text t
where t.team = :team and t.id in :ids[] and (
  select bool_and(t.words @@ phraseto_tsquery('prose', word))
  from jsonb_array_elements_text(:words::jsonb) as word)

-- containing_memory: records that contain every word
select t.id from memory_text t
where t.team = :team and t.id in :ids[] and (
  select bool_and(t.words @@ phraseto_tsquery('prose', word))
  from jsonb_array_elements_text(:words::jsonb) as word)

-- count_observation: number of observations that contain words
select word, records from count_words(:team, 'observation',
  array(select jsonb_array_elements_text(:words::jsonb)), :most)

-- count_memory: number of memories that contain words
select word, records from count_words(:team, 'memory',
  array(select jsonb_array_elements_text(:words::jsonb)), :most)

-- total_observation: approximate number of a team's observations
select coalesce(sum(observations), 0) from task where team = :team

-- total_memory: number of a team's memories
select count(*) from memory where team = :team
