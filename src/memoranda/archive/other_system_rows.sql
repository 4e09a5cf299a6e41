-- imported: ids of memories imported from other systems
select id from memory where team = :team and source = 'import'
