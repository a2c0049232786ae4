package io.sagaspring.sample.effects;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

@Configuration(proxyBeanMethods = false)
class EffectsConfiguration {

    /**
     * Creates a second data source in addition to the application's own. Spring Boot and the starter use only the
     * application's own data source.
     */
    @Bean(defaultCandidate = false)
    HikariDataSource effectsDataSource(JdbcConnectionDetails database) {
        HikariDataSource pool = DataSourceBuilder.create()
                .type(HikariDataSource.class)
                .url(database.getJdbcUrl())
                .username(database.getUsername())
                .password(database.getPassword())
                .build();
        pool.setPoolName("effects");
        pool.setAutoCommit(true);
        pool.setMaximumPoolSize(4);
        pool.setMinimumIdle(0);
        return pool;
    }

    @Bean(defaultCandidate = false)
    JdbcClient effectsJdbcClient(@Qualifier("effectsDataSource") HikariDataSource effects) {
        return JdbcClient.create(effects);
    }
}
