package com.example.docs.tables;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;

/** The application of the page. This application must not use JPA, which is on the class path of the skeletons. */
@SpringBootApplication(exclude = {HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class})
@EnableJdbcRepositories
class TablesApplication extends AbstractJdbcConfiguration {

    @Bean
    OtherTables.ContractMapper contractMapper() {
        return id -> null;
    }
}
