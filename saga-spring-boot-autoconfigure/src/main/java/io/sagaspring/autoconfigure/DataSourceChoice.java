package io.sagaspring.autoconfigure;

import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Chooses the data source that has the library's tables: the one marked with {@link SagaDataSource}, or else the
 * application's default. The choice is made when {@link #require} is called. Before that, no data source is created.
 */
record DataSourceChoice(
        ObjectProvider<DataSource> byDefault,
        @SagaDataSource ObjectProvider<DataSource> marked,
        ListableBeanFactory beans) {

    /**
     * Returns the data source that has the library's tables.
     *
     * @throws AmbiguousDataSourceException if there are several data sources, and it is not clear which one to choose
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
