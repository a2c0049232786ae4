package io.sagaspring.autoconfigure;

import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/** Which of the application's data sources holds our tables: the marked one, else the one it uses by default. */
record DataSourceChoice(
        ObjectProvider<DataSource> byDefault, ObjectProvider<DataSource> marked, ListableBeanFactory beans) {

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
