package io.sagaspring.autoconfigure;

import io.sagaspring.database.Databases;
import io.sagaspring.entity.MappedEntities;
import io.sagaspring.entity.PersistenceUnit;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.schema.SagaSchema;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.JpaTransactionManager;

/**
 * The application's persistence units, divided into those that can access the library's tables and those that cannot.
 */
record PersistenceUnits(ListableBeanFactory beans, DataSource ours, SagaSchema schema, Databases databases) {

    MappedEntities entities(boolean writesLastModified) {
        List<PersistenceUnit> here = new ArrayList<>();
        List<PersistenceUnit> elsewhere = new ArrayList<>();
        String database = database(ours);
        BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, EntityManagerFactory.class, false, true)
                .values()
                .forEach(factory -> {
                    DataSource source = dataSource(factory);
                    boolean seesOurTables = source == ours || database.equals(database(source));
                    (seesOurTables ? here : elsewhere)
                            .add(new PersistenceUnit(
                                    factory, transactionManager(factory), source, databases, maySwitch(source)));
                });
        return new MappedEntities(here, elsewhere, writesLastModified);
    }

    /**
     * Returns true if the connections of a source may lead to another database than the library's own. Connections of
     * the library's own data source can do so only if it is a routing data source.
     */
    private boolean maySwitch(DataSource source) {
        try {
            return source != ours || source.isWrapperFor(AbstractRoutingDataSource.class);
        } catch (SQLException unknown) {
            return true;
        }
    }

    /**
     * Returns the identity of a database. Two data sources, or a data source and its proxy, may connect to the same
     * database.
     */
    private String database(DataSource source) {
        try {
            return JdbcClient.create(source)
                    .sql("""
                            SELECT concat_ws(' ', system_identifier, pg_catalog.current_database(), pg_catalog.to_regclass(?)::oid,
                                pg_catalog.pg_is_in_recovery())
                            FROM pg_catalog.pg_control_system()""")
                    .param(schema.table("saga_claim"))
                    .query(String.class)
                    .single();
        } catch (DataAccessException otherProductOrNoRight) {
            return Objects.requireNonNull(new JdbcTemplate(source)
                    .execute((Connection connection) ->
                            String.valueOf(connection.getMetaData().getURL())));
        }
    }

    private DataSource dataSource(EntityManagerFactory factory) {
        DataSource known = factory instanceof EntityManagerFactoryInfo info ? info.getDataSource() : null;
        return known == null ? ours : known;
    }

    private JpaTransactionManager transactionManager(EntityManagerFactory factory) {
        SessionFactory sessions = factory.unwrap(SessionFactory.class);
        return BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, JpaTransactionManager.class, false, true)
                .values()
                .stream()
                .filter(each -> each.getEntityManagerFactory() != null
                        && each.getEntityManagerFactory()
                                .unwrap(SessionFactory.class)
                                .equals(sessions))
                .findFirst()
                .orElseGet(() -> ofOurOwn(factory));
    }

    /**
     * Creates a transaction manager that has the listener of {@link TransactionPhase}. The manager is not a bean, so
     * {@link TransactionPhases} does not add the listener.
     */
    private static JpaTransactionManager ofOurOwn(EntityManagerFactory factory) {
        JpaTransactionManager manager = new JpaTransactionManager(factory);
        manager.addListener(TransactionPhase.listener());
        return manager;
    }
}
