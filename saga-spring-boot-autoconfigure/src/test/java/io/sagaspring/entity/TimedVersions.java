package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.entity.supported.Counted;
import io.sagaspring.shop.Shop;
import java.util.List;
import java.util.Optional;

/**
 * Counts the changes of versions that are times, with a trigger on each table that has a counter. Does not count a
 * change that sets a version back.
 */
final class TimedVersions {

    private TimedVersions() {}

    static Shop counted(Shop shop) {
        shop.database().sql("""
                CREATE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.version > OLD.version THEN
                        NEW.changes := OLD.changes + 1;
                    END IF;
                    RETURN NEW;
                END $$""").update();
        List<String> tables = shop.database()
                .sql("SELECT table_name FROM information_schema.columns WHERE column_name = 'changes'")
                .query(String.class)
                .list();
        tables.forEach(table -> shop.database()
                .sql("CREATE TRIGGER counting BEFORE UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION count_change()"
                        .formatted(table))
                .update());
        return shop;
    }

    /** Returns the number of changes, and checks that the entity in memory and the row have the same version. */
    static long changes(Counted counted, ManagedEntity loaded, Optional<EntityRow> row) {
        assertThat(row).map(EntityRow::version).hasValue(loaded.version());
        return counted.changes();
    }
}
