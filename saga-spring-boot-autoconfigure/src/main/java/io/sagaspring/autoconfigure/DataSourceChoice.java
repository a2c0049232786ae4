package io.sagaspring.autoconfigure;

import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Chooses the application's data source that holds our tables: the marked one, else the one it uses by default. A bean
 * wherever somebody needs the pool; the choice is made where it is asked for, and touches no data source before.
 */
record DataSourceChoice(
        ObjectProvider<DataSource> byDefault,
        @SagaDataSource ObjectProvider<DataSource> marked,
        ListableBeanFactory beans) {

    /**
     * Returns the pool.
     *
     * @throws AmbiguousDataSourceException if there are several and none is the obvious one
     */
    DataSource require() {
        DataSource chosen = marked.getIfUnique();
        if (chosen == null && marked.stream().findAny().isEmpty()) {
            chosen = byDefault.getIfUnique();
        }
        if (chosen == null) {
            throw new AmbiguousDataSourceException(
                    List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class)));
        }
        return chosen;
    }
}
